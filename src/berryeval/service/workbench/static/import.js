// The import form: fields for the kind of file, and drag and drop.

const form = document.getElementById("import");
const drop = document.getElementById("drop");
const file = document.getElementById("file");

form?.addEventListener("change", () => {
  form.querySelector(".import-fields").dataset.kind = form.elements.kind.value;
});

for (const kind of ["dragenter", "dragover"]) {
  drop?.addEventListener(kind, (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
}
for (const kind of ["dragleave", "drop"])
  drop?.addEventListener(kind, () => drop.classList.remove("over"));
drop?.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files.length) file.files = event.dataTransfer.files;
});
