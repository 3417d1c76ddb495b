// A tooltip next to the pointer or the focused link: the run and its score.

import { element } from "./messages.js";

function fill(tip, link) {
  const { name, value, interval, change } = link.dataset;
  const texts = [
    interval ? `95% ${interval}` : "",
    change ? `${change.replace("-", "\u2212")} vs. the previous run` : "",
    name,
  ].filter(Boolean);
  const lines = texts.flatMap((text) => [element("span", { textContent: text }), element("br")]);
  tip.replaceChildren(element("strong", { textContent: value }), ...lines.slice(0, -1));
}

function show(room, link) {
  const tip = room.querySelector(".trend-tip");
  for (const other of room.querySelectorAll("a.near")) other.classList.remove("near");
  tip.hidden = !link;
  if (!link) return;
  link.classList.add("near");
  fill(tip, link);
  const dot = link.getBoundingClientRect();
  const box = room.getBoundingClientRect();
  const x = dot.left + dot.width / 2 - box.left;
  const left = Math.max(0, Math.min(box.width - tip.offsetWidth, x + 14));
  const isCovered = x + 14 + tip.offsetWidth > box.width;
  tip.style.left = `${isCovered ? Math.max(0, x - tip.offsetWidth - 14) : left}px`;
  tip.style.top = `${Math.max(0, dot.top - box.top - tip.offsetHeight / 2)}px`;
}

function nearest(svg, clientX) {
  const place = new DOMPoint(clientX, 0).matrixTransform(svg.getScreenCTM().inverse()).x;
  let found = null;
  let distance = 40;
  for (const link of svg.querySelectorAll("a[data-x]")) {
    const far = Math.abs(Number(link.dataset.x) - place);
    if (far < distance) [found, distance] = [link, far];
  }
  return found;
}

const roomOf = (event) => event.target instanceof Element && event.target.closest(".trend-room");

document.addEventListener("pointermove", (event) => {
  const room = roomOf(event);
  const svg = room && event.target.closest("svg.trend");
  if (svg) show(room, nearest(svg, event.clientX));
});
document.addEventListener("pointerout", (event) => {
  const room = roomOf(event);
  if (room && !room.contains(event.relatedTarget)) show(room, null);
});
document.addEventListener("focusin", (event) => {
  const room = roomOf(event);
  const link = room && event.target.closest("a[data-x]");
  if (link) show(room, link);
});
document.addEventListener("focusout", (event) => {
  const room = roomOf(event);
  if (room) show(room, null);
});
// A click follows the dot nearest to the pointer.
document.addEventListener("click", (event) => {
  const room = roomOf(event);
  if (!room || event.target.closest("a")) return;
  const link = room.querySelector("a.near");
  if (link) location.assign(link.getAttribute("href"));
});
