// Every table of a page as data in CSV and JSON, every chart as SVG and PNG.

import { button, element, showMessage } from "./messages.js";

const MAX_PAGES = 200;
const PIXELS = 2; // pixels of a PNG per pixel of the chart

/** The rows of a table as data: each element with facts is one. */
const rowsOf = (table) =>
  [...table.querySelectorAll("tbody [data-facts]")].map((one) => JSON.parse(one.dataset.facts));

/** The next page of a list; null if this is the last. */
const nextOf = (place) =>
  place.parentElement?.querySelector(":scope > .pager a[rel=next]")?.href ?? null;

/** All rows of a table that is spread over pages, which are fetched one after another. */
async function allRows(table) {
  const caption = table.caption?.textContent;
  const frame = (found) => found.parentElement;
  const rows = rowsOf(table);
  let next = nextOf(frame(table));
  for (let page = 1; next && page < MAX_PAGES; page += 1) {
    const answer = await fetch(next);
    if (!answer.ok) throw new Error(`the server returned ${answer.status}`);
    const read = new DOMParser().parseFromString(await answer.text(), "text/html");
    const same = [...read.querySelectorAll("table")].find(
      (one) => one.caption?.textContent === caption,
    );
    if (!same) break;
    rows.push(...rowsOf(same));
    next = nextOf(frame(same));
  }
  return rows;
}

/** A fact as text: nothing is empty, and several are separated by semicolons. */
const plain = (fact) => (Array.isArray(fact) ? fact.join("; ") : String(fact ?? ""));
const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Every row with all columns of the table; facts that a row does not have are null. */
function filled(rows) {
  const names = new Set(rows.flatMap(Object.keys));
  return rows.map((row) => Object.fromEntries([...names].map((name) => [name, row[name] ?? null])));
}

function toCsv(rows) {
  const all = filled(rows);
  const lines = [Object.keys(all[0] ?? {}), ...all.map(Object.values)];
  return lines.map((line) => `${line.map(plain).map(quoted).join(",")}\n`).join("");
}

const toJson = (rows) => `${JSON.stringify(filled(rows), null, 2)}\n`;

/** A chart as a file: with the style sheet and the colours that the page gives it. */
async function toSvg(chart) {
  const sheet = document.getElementById("export").dataset.style;
  const style = await (await fetch(sheet)).text();
  const copy = chart.cloneNode(true);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.classList.replace("chart", "berryeval-auto");
  const { width, height } = chart.viewBox.baseVal;
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  for (const link of copy.querySelectorAll("a")) link.removeAttribute("href");
  const made = document.createElementNS("http://www.w3.org/2000/svg", "style");
  made.textContent = style;
  copy.prepend(made);
  return new XMLSerializer().serializeToString(copy);
}

async function toPng(chart) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(await toSvg(chart))}`;
  await image.decode();
  const canvas = element("canvas", {
    width: image.naturalWidth * PIXELS,
    height: image.naturalHeight * PIXELS,
  });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => {
    canvas.toBlob(resolve, "image/png");
  });
}

function save(content, name, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

const fileName = (title, ending) =>
  `${
    title
      .replace(/[^\w.@-]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 80) || "export"
  }.${ending}`;

const TABLES = {
  CSV: async (table) => [toCsv(await allRows(table)), "csv", "text/csv"],
  JSON: async (table) => [toJson(await allRows(table)), "json", "application/json"],
};
const CHARTS = {
  SVG: async (chart) => [await toSvg(chart), "svg", "image/svg+xml"],
  PNG: async (chart) => [await toPng(chart), "png", "image/png"],
};

function line(title, thing, formats) {
  const buttons = Object.entries(formats).map(([format, make]) => {
    const act = async () => {
      try {
        const [content, ending, type] = await make(thing);
        save(content, fileName(title, ending), type);
      } catch (error) {
        showMessage(`${title} could not be exported: ${error.message}.`, "fail");
      }
    };
    const made = button(format, act, "button small");
    made.setAttribute("aria-label", `${title} as ${format}`);
    return made;
  });
  return element("li", {}, element("span", { textContent: title }), ...buttons);
}

/** Fill the dialog with what the page shows now. */
function fill(list) {
  const isShown = (one) => one.getClientRects().length > 0;
  const main = document.getElementById("main");
  const tables = [...main.querySelectorAll("table:has(tbody [data-facts])")].filter(isShown);
  const charts = [...main.querySelectorAll("svg.chart[aria-label]")].filter(
    (one) => isShown(one) && one.querySelector(":scope > title"),
  );
  const lines = [
    ...tables.map((one) => line(one.caption?.textContent ?? "Table", one, TABLES)),
    ...charts.map((one) => line(one.querySelector("title").textContent, one, CHARTS)),
  ];
  const nothing = element("li", { textContent: "There is no table or chart on this page." });
  list.replaceChildren(...(lines.length ? lines : [nothing]));
}

/** Set up the dialog and the button that opens it. */
export function setUpExport(dialog, opener) {
  opener.hidden = false;
  opener.addEventListener("click", () => {
    fill(dialog.querySelector("ul"));
    dialog.showModal();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
}
