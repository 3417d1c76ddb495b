"use strict";
// Interaction: themes, charts by measure, and the table of queries.
// Data is always inserted as text, never as markup.

(() => {
  const root = document.documentElement;
  const find = (id) => document.getElementById(id);
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const unseen = (text) => make("span", { className: "unseen", textContent: text });

  const theme = find("theme");
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme || (prefersDark.matches ? "dark" : "light")) === "dark";
  const nameTheme = () => {
    theme.textContent = isDark() ? "Light theme" : "Dark theme";
  };
  theme.hidden = false;
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    nameTheme();
  });
  prefersDark.addEventListener("change", nameTheme);
  nameTheme();

  const source = find("data");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const PAGE = 100;
  const UNIT = 10000;
  const state = {
    system: data.system,
    measure: data.measure,
    key: "difference",
    isRising: data.higher[data.measure],
    text: "",
    outcome: "",
    n: PAGE,
    open: new Set(),
  };
  const order = new Intl.Collator(undefined, { numeric: true });
  const haystack = data.ids.map((id, i) =>
    `${id} ${data.texts[i] ?? ""} ${data.labels[i] ?? ""}`.toLowerCase(),
  );

  const score = (value) => (value / UNIT).toFixed(4).replace("-", "\u2212");
  const signed = (value) => (value > 0 ? "+" : "") + score(value);
  const baseline = () => data.baseline[state.measure];
  const candidate = () => data.candidates[state.system].scores[state.measure];
  const differences = () => data.candidates[state.system].differences[state.measure];
  const outcome = (i) => data.outcomes[data.candidates[state.system].outcomes[state.measure][i]];

  function chosen() {
    const words = state.text.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [];
    for (let i = 0; i < data.ids.length; i++) {
      const fits = !state.outcome || outcome(i) === state.outcome;
      if (fits && words.every((word) => haystack[i].includes(word))) found.push(i);
    }
    const column = { baseline: baseline(), candidate: candidate(), difference: differences() };
    const values = column[state.key];
    const compare = values
      ? (a, b) => values[a] - values[b]
      : (a, b) => order.compare(data.ids[a], data.ids[b]);
    const direction = state.isRising ? 1 : -1;
    return found.sort((a, b) => direction * compare(a, b) || a - b);
  }

  function bar(i, greatest) {
    const track = make("span", { className: "track", ariaHidden: "true" });
    const value = differences()[i];
    if (value) {
      const side = value > 0 ? "right" : "left";
      const mark = make("i", { className: `${side} ${outcome(i)}` });
      mark.style.width = `${(50 * Math.abs(value)) / greatest}%`;
      track.append(mark);
    }
    return track;
  }

  function named(i) {
    const parts = [make("span", { className: "id", textContent: data.ids[i] })];
    if (data.texts[i]) parts.push(make("span", { className: "text", textContent: data.texts[i] }));
    return parts;
  }

  function row(i, greatest) {
    const cell = (...content) => make("td", { className: "n" }, ...content);
    const head = make("th", { scope: "row" });
    const line = make("tr", {}, head);
    const value = differences()[i];
    line.append(
      cell(make("span", { className: "delta" }, bar(i, greatest), signed(value))),
      cell(score(baseline()[i])),
      cell(score(candidate()[i])),
    );
    if (data.hasLabels) line.append(make("td", { textContent: data.labels[i] ?? "" }));
    if (!data.rankings[i]) {
      head.append(make("span", { className: "unopened" }, ...named(i)));
      return [line];
    }
    const isOpen = state.open.has(i);
    const button = make("button", { type: "button", className: "expand" }, ...named(i));
    button.setAttribute("aria-expanded", String(isOpen));
    button.addEventListener("click", () => toggle(i, line, button));
    head.append(button);
    return isOpen ? [line, detail(i)] : [line];
  }

  function toggle(i, line, button) {
    const isOpen = !state.open.has(i);
    button.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) {
      state.open.add(i);
      line.after(detail(i));
    } else {
      state.open.delete(i);
      line.nextElementSibling.remove();
    }
  }

  function detail(i) {
    const systems = [0, state.system + 1];
    const columns = systems.map((own, side) => ranking(i, own, systems[1 - side], side === 1));
    const box = make("div", { className: "rankings" }, ...columns);
    const width = data.hasLabels ? 5 : 4;
    return make("tr", { className: "detail" }, make("td", { colSpan: width }, box));
  }

  // A document is [id, grade or null, rank in the baseline, rank in the first candidate, ...];
  // rank 0 means that a system did not return the document in these ranks.
  function ranking(i, own, other, isCandidate) {
    const documents = data.rankings[i]
      .filter((found) => found[2 + own] > 0 && found[2 + own] <= data.depth)
      .sort((a, b) => a[2 + own] - b[2 + own]);
    const heads = ["rank", "document", "grade", isCandidate ? "moved" : "went to"];
    const body = make("tbody");
    for (const found of documents) {
      body.append(
        make(
          "tr",
          {},
          make("td", { textContent: found[2 + own] }),
          make("td", {}, ...nameOf(found[0])),
          make("td", {}, grade(found[1])),
          make(
            "td",
            {},
            isCandidate
              ? move(found[2 + other], found[2 + own], found[1])
              : place(found[2 + other], found[2 + own], found[1]),
          ),
        ),
      );
    }
    if (!documents.length) {
      body.append(make("tr", {}, make("td", { colSpan: 4, textContent: "nothing returned" })));
    }
    const header = make(
      "thead",
      {},
      make("tr", {}, ...heads.map((text) => make("th", { scope: "col", textContent: text }))),
    );
    return make(
      "div",
      {},
      make("h3", { textContent: data.systems[own] }),
      make("table", {}, header, body),
    );
  }

  // A document by its title, with its id; by its id alone if there is none.
  function nameOf(id) {
    const title = data.titles[id];
    return title ? [title, " ", make("span", { className: "id", textContent: id })] : [id];
  }

  function grade(value) {
    if (value === null) {
      return make(
        "span",
        { className: "grade hole", title: "unjudged" },
        "?",
        unseen(" not judged"),
      );
    }
    const className = value > 0 ? "grade yes" : "grade no";
    return make("span", { className, textContent: value });
  }

  // Colour shows what a move means: a relevant document that goes up helps.
  function colour(grade, isUp) {
    if (!(grade > 0)) return "move";
    return `move ${isUp ? "up" : "down"}`;
  }

  function move(before, now, grade) {
    if (!before) return make("span", { className: colour(grade, true), textContent: "new" });
    if (before === now) return make("span", { className: "move", textContent: "=" });
    const isUp = before > now;
    return make(
      "span",
      { className: colour(grade, isUp) },
      `${isUp ? "▲" : "▼"} ${Math.abs(before - now)}`,
      unseen(isUp ? " up" : " down"),
    );
  }

  function place(now, before, grade) {
    if (!now) return make("span", { className: colour(grade, false), textContent: "gone" });
    if (now === before) return make("span", { className: "move", textContent: "=" });
    return make("span", { className: colour(grade, now < before), textContent: `rank ${now}` });
  }

  const table = find("queries-table");
  const body = table.tBodies[0];
  const more = find("more");
  const status = find("status");
  let indices = [];
  let greatest = 1;

  function show(from) {
    const rows = document.createDocumentFragment();
    for (const i of indices.slice(from, state.n)) rows.append(...row(i, greatest));
    body.append(rows);
    const left = indices.length - Math.min(state.n, indices.length);
    more.hidden = left === 0;
    more.textContent = `Show ${Math.min(left, 2 * PAGE)} more of ${left.toLocaleString("en")}`;
  }

  // Nothing can be opened on paper: the rankings of the first queries are printed with them.
  const PRINTED = 20;
  let opened = state.open;
  addEventListener("beforeprint", () => {
    opened = state.open;
    const first = chosen().filter((i) => data.rankings[i]);
    state.open = new Set([...opened, ...first.slice(0, PRINTED)]);
    render();
  });
  addEventListener("afterprint", () => {
    state.open = opened;
    render();
  });

  function render() {
    indices = chosen();
    greatest = differences().reduce((most, value) => Math.max(most, Math.abs(value)), 1);
    state.n = PAGE;
    body.replaceChildren();
    show(0);
    const all = data.ids.length.toLocaleString("en");
    status.textContent = `${indices.length.toLocaleString("en")} of ${all} queries`;
    for (const button of table.tHead.querySelectorAll("button")) {
      const head = button.parentElement;
      if (button.dataset.key === state.key) {
        head.setAttribute("aria-sort", state.isRising ? "ascending" : "descending");
      } else {
        head.removeAttribute("aria-sort");
      }
      if (button.dataset.key === "candidate") {
        button.textContent = data.systems[state.system + 1];
      }
    }
    for (const figure of document.querySelectorAll("figure[data-measure]")) {
      const fits =
        figure.dataset.measure === String(state.measure) &&
        figure.dataset.system === String(state.system);
      figure.hidden = !fits;
    }
    for (const empty of document.querySelectorAll("[data-undrawn]")) {
      const isDrawn = document.querySelector("figure[data-measure]:not([hidden])");
      empty.hidden = Boolean(isDrawn);
    }
  }

  for (const head of table.tHead.querySelectorAll("th[data-key]")) {
    const button = make("button", { type: "button", textContent: head.textContent });
    button.dataset.key = head.dataset.key;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const { key } = button.dataset;
      state.isRising = state.key === key ? !state.isRising : true;
      state.key = key;
      render();
    });
  }
  more.addEventListener("click", () => {
    const from = state.n;
    state.n += 2 * PAGE;
    show(from);
  });
  find("filter").addEventListener("input", (event) => {
    state.text = event.target.value;
    render();
  });
  find("outcome").addEventListener("change", (event) => {
    state.outcome = event.target.value;
    render();
  });
  for (const name of ["system", "measure"]) {
    const choice = find(`choose-${name}`);
    if (!choice) continue;
    choice.addEventListener("change", () => {
      state[name] = Number(choice.value);
      if (state.key === "difference") state.isRising = data.higher[state.measure];
      render();
    });
  }
  for (const controls of document.querySelectorAll(".controls[hidden]")) controls.hidden = false;
  render();
})();
