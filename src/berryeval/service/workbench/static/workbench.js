// What every page can do: the palette, the drawer, colours, copying, asking first, messages.

import { tell } from "./messages.js";

const byId = (id) => document.getElementById(id);

// Colours: as the system has them, light, dark.
const THEMES = ["", "light", "dark"];
const NAMES = { "": "as the system", light: "light", dark: "dark" };

function setUpTheme(button) {
  const root = document.documentElement;
  const label = () =>
    button.setAttribute("aria-label", `Colours: ${NAMES[root.dataset.theme ?? ""]}`);
  button.hidden = false;
  label();
  button.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(root.dataset.theme ?? "") + 1) % THEMES.length];
    if (next) root.dataset.theme = next;
    else delete root.dataset.theme;
    try {
      localStorage.setItem("berryeval-theme", next);
    } catch {
      // It lasts as long as this page.
    }
    label();
    tell(`Colours: ${NAMES[next]}`);
  });
}

// The palette: Ctrl-K, letters, arrows, Enter.
function setUpPalette(dialog) {
  const input = dialog.querySelector("input");
  const items = () => [...dialog.querySelectorAll("[role=option]")];
  const choose = (one) => {
    for (const item of items()) item.setAttribute("aria-selected", String(item === one));
    if (one) {
      input.setAttribute("aria-activedescendant", one.id);
      one.scrollIntoView({ block: "nearest" });
    } else {
      input.removeAttribute("aria-activedescendant");
    }
  };
  const chosen = () => items().findIndex((item) => item.getAttribute("aria-selected") === "true");
  const open = () => {
    if (dialog.open) return;
    input.value = "";
    dialog.showModal();
    input.dispatchEvent(new Event("palette-opened"));
  };
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest("[data-palette]");
    if (!link || !window.htmx) return;
    event.preventDefault();
    open();
  });
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k" && window.htmx) {
      event.preventDefault();
      if (dialog.open) dialog.close();
      else open();
    }
  });
  dialog.addEventListener("htmx:afterSwap", () => choose(items()[0]));
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  input.addEventListener("keydown", (event) => {
    const all = items();
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : all.length - 1;
      choose(all[(chosen() + step) % all.length]);
    } else if (event.key === "Enter" && all[chosen()]) {
      event.preventDefault();
      all[chosen()].click();
    }
  });
}

// The drawer: links with data-drawer open beside the page. Without scripts they are pages.
function setUpDrawer(dialog) {
  const content = byId("drawer-content");
  document.addEventListener("click", async (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = event.target instanceof Element && event.target.closest("a[data-drawer]");
    if (!link) return;
    event.preventDefault();
    content.replaceChildren();
    dialog.setAttribute("aria-busy", "true");
    if (!dialog.open) dialog.showModal();
    try {
      const answer = await fetch(link.href, {
        headers: { "HX-Request": "true", "HX-Current-URL": location.href },
      });
      const away = answer.headers.get("HX-Redirect");
      if (away) location.assign(away);
      content.innerHTML = await answer.text();
      window.htmx?.process(content);
      dialog.dispatchEvent(new CustomEvent("drawer-filled", { bubbles: true, detail: { link } }));
    } catch {
      content.innerHTML =
        '<p class="banner fail" role="alert">The server does not answer. Close this and try again.</p>';
    } finally {
      dialog.removeAttribute("aria-busy");
    }
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
}

// Forms with data-confirm ask first.
function setUpAsking(dialog) {
  document.addEventListener(
    "submit",
    (event) => {
      const form = event.target;
      const question = event.submitter?.dataset.confirm ?? form.dataset.confirm;
      if (!question || form.dataset.confirmed) return;
      event.preventDefault();
      event.stopPropagation();
      byId("asking-text").textContent = question;
      dialog.returnValue = "no";
      dialog.showModal();
      dialog.addEventListener(
        "close",
        () => {
          if (dialog.returnValue !== "yes") return;
          form.dataset.confirmed = "yes";
          form.requestSubmit(event.submitter ?? undefined);
          delete form.dataset.confirmed;
        },
        { once: true },
      );
    },
    true,
  );
}

document.addEventListener("click", async (event) => {
  const button = event.target instanceof Element && event.target.closest("[data-copy]");
  if (!button) return;
  try {
    await navigator.clipboard.writeText(button.dataset.copy || location.href);
    tell("Copied.");
  } catch {
    tell("The browser does not let pages copy; select the text instead.", "fail");
  }
});

// A choice of a form with data-submit takes effect at once.
document.addEventListener("change", (event) => {
  const form = event.target instanceof Element && event.target.closest("form[data-submit]");
  if (form) form.requestSubmit();
});

// What htmx could not get, in words.
document.addEventListener("htmx:sendError", () =>
  tell(
    "The server does not answer. What you see may be out of date; try again in a moment.",
    "fail",
  ),
);
document.addEventListener("htmx:responseError", (event) => {
  const status = event.detail.xhr.status;
  if (status !== 401)
    tell(`The server answered ${status}. Reload the page to see where things are.`, "fail");
});

document.addEventListener("click", (event) => {
  // A menu on a small screen closes when something else is touched.
  const menu = document.querySelector(".small-menu[open]");
  if (menu && event.target instanceof Element && !menu.contains(event.target)) menu.open = false;
});

const themeButton = document.querySelector("[data-theme-switch]");
if (themeButton) setUpTheme(themeButton);
setUpPalette(byId("palette"));
setUpDrawer(byId("drawer"));
setUpAsking(byId("asking"));

// Tabs that do not fit scroll: to the one that is open.
document
  .querySelector(".tabs [aria-current]")
  ?.scrollIntoView({ block: "nearest", inline: "center" });
