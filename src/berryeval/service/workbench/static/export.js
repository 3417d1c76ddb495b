// Every table of a page as CSV and JSON, every chart as SVG and PNG.

import { button, element, showMessage } from "./messages.js";

const MAX_PAGES = 200;
const PIXELS = 2; // pixels of a PNG per pixel of the chart

/** The text of a cell, in one line, without explanations and decoration. */
function textOf(cell) {
  const copy = cell.cloneNode(true);
  for (const one of copy.querySelectorAll("svg, .unseen, .small-only, button, input, kbd"))
    one.remove();
  return copy.textContent.replace(/\s+/g, " ").trim();
}

/** The rows of a table: its headings, then its body; columns without a heading are left out. */
function rowsOf(table) {
  const heads = [...table.querySelectorAll("thead th")].map(textOf);
  const isNamed = heads.map(Boolean);
  const named = (cells) => cells.filter((_, place) => isNamed[place]);
  const body = [...table.querySelectorAll("tbody tr")].map((row) =>
    named([...row.children].map(textOf)),
  );
  return [named(heads), ...body];
}

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
    rows.push(...rowsOf(same).slice(1));
    next = nextOf(frame(same));
  }
  return rows;
}

const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const toCsv = (rows) => rows.map((row) => `${row.map(quoted).join(",")}\n`).join("");

function toJson([heads, ...rows]) {
  const objects = rows.map((row) => Object.fromEntries(heads.map((head, i) => [head, row[i]])));
  return `${JSON.stringify(objects, null, 2)}\n`;
}

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
  const tables = [...main.querySelectorAll("table")].filter(isShown);
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
