// Shared by all pages: palette, drawer, theme, copying, confirmation, messages.

import { setUpExport } from "./export.js";
import { isTyping, showMessage } from "./messages.js";

const byId = (id) => document.getElementById(id);

// Themes: system, light, dark.
const THEMES = ["", "light", "dark"];
const NAMES = { "": "system", light: "light", dark: "dark" };

function setUpTheme(button) {
  const root = document.documentElement;
  const label = () =>
    button.setAttribute("aria-label", `Theme: ${NAMES[root.dataset.theme ?? ""]}`);
  button.hidden = false;
  label();
  button.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(root.dataset.theme ?? "") + 1) % THEMES.length];
    if (next) root.dataset.theme = next;
    else delete root.dataset.theme;
    try {
      localStorage.setItem("berryeval-theme", next);
    } catch {
      // Without storage, the theme lasts as long as this page.
    }
    label();
    showMessage(`Theme: ${NAMES[next]}`);
  });
}

// The palette: Ctrl-K, typing, arrows, Enter.
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

// The drawer: links with data-drawer open next to the page. Without scripts they are pages.
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
        '<p class="banner fail" role="alert">The server is not responding. Close this and try again.</p>';
    } finally {
      dialog.removeAttribute("aria-busy");
    }
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
}

// Forms with data-confirm ask for confirmation.
function setUpConfirmation(dialog) {
  document.addEventListener(
    "submit",
    (event) => {
      const form = event.target;
      const question = event.submitter?.dataset.confirm ?? form.dataset.confirm;
      if (!question || form.dataset.confirmed) return;
      event.preventDefault();
      event.stopPropagation();
      byId("asking-text").textContent = question;
      byId("asking-yes").textContent = event.submitter?.textContent.trim() || "Continue";
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
    showMessage("Copied.");
  } catch {
    showMessage("Copying is blocked by the browser; select the text instead.", "fail");
  }
});

// Forms with data-submit are submitted on every change.
document.addEventListener("change", (event) => {
  const form = event.target instanceof Element && event.target.closest("form[data-submit]");
  if (form) form.requestSubmit();
});

// Lists that are being filtered are marked, for screen readers and for the eye.
const mark = (isBusy) => (event) => event.detail.target?.setAttribute("aria-busy", String(isBusy));
document.addEventListener("htmx:beforeRequest", mark(true));
document.addEventListener("htmx:afterRequest", mark(false));

// Report failed htmx requests.
document.addEventListener("htmx:sendError", () =>
  showMessage(
    "The server is not responding. This page may be out of date; try again in a moment.",
    "fail",
  ),
);
document.addEventListener("htmx:responseError", (event) => {
  const status = event.detail.xhr.status;
  if (status !== 401)
    showMessage(`The server returned ${status}. Reload the page to see its current state.`, "fail");
});

// Folded parts with data-kept stay as the user left them when the page is renewed or loaded again.
const foldKey = (part) => `fold ${part.id}`;

function restoreFolds() {
  for (const part of document.querySelectorAll("details[data-kept]")) {
    const kept = sessionStorage.getItem(foldKey(part));
    if (kept) part.open = kept === "open";
  }
}

document.addEventListener("click", ({ target }) => {
  const part = target.closest("summary")?.closest("details[data-kept]");
  // The click is about to change it.
  if (part) sessionStorage.setItem(foldKey(part), part.open ? "folded" : "open");
});
document.addEventListener("htmx:afterSwap", restoreFolds);
restoreFolds();

// Menus close on a click elsewhere, or on Escape; a dialog that one of them opened comes first.
const openMenu = () => document.querySelector(":is(.small-menu, .actions)[open]");
document.addEventListener("click", (event) => {
  const menu = openMenu();
  if (!menu || !(event.target instanceof Element) || event.target.closest("dialog")) return;
  if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  const menu = openMenu();
  if (!menu || event.key !== "Escape" || document.querySelector("dialog[open]")) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

const themeButton = document.querySelector("[data-theme-switch]");
if (themeButton) setUpTheme(themeButton);
setUpPalette(byId("palette"));
setUpDrawer(byId("drawer"));
setUpConfirmation(byId("asking"));
// The keys of the page; the page Judge has a help of its own.
function setUpKeys(dialog, opener) {
  const open = () => (byId("judge-help") ?? dialog).showModal();
  opener.hidden = false;
  opener.addEventListener("click", open);
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "?" || isTyping(event) || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    open();
  });
}
const keysButton = document.querySelector("[data-keys]");
if (keysButton) setUpKeys(byId("keys"), keysButton);
const exportButton = document.querySelector("[data-export]");
if (exportButton) setUpExport(byId("export"), exportButton);

// Scroll to the open tab if the tabs do not fit, also on a page that was replaced as a whole.
const showOpenTab = () =>
  document
    .querySelector(".tabs [aria-current]")
    ?.scrollIntoView({ block: "nearest", inline: "center" });
showOpenTab();
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id === "main") showOpenTab();
});
