// The scatter plot: describes circles, and follows a click on one that is not a link.

const plot = document.querySelector(".plot");
const tip = document.querySelector(".tip");

if (plot && tip) {
  const svg = plot.querySelector("svg");
  const [low, high] = [Number(svg.dataset.low), Number(svg.dataset.high)];
  const about = (circle) => {
    const link = circle.closest("a");
    if (link) return link.getAttribute("aria-label");
    const n = Number(circle.dataset.n);
    const [column, row] = circle.dataset.c.split(".").map(Number);
    const at = (cell) => (low + ((cell + 0.5) / 50) * (high - low)).toFixed(2);
    return `${n === 1 ? "1 query" : `${n} queries`} near ${at(column)} → ${at(row)}`;
  };
  const circleAt = (event) =>
    event.target instanceof Element && event.target.closest("circle[data-c]");
  const nothing = tip.textContent;
  plot.addEventListener("pointerover", (event) => {
    const circle = circleAt(event);
    tip.textContent = circle ? about(circle) : nothing;
  });
  plot.addEventListener("pointerleave", () => {
    tip.textContent = nothing;
  });
  plot.addEventListener("click", (event) => {
    const circle = circleAt(event);
    if (!circle || circle.closest("a")) return;
    location.assign(`${plot.dataset.address}&cell=${circle.dataset.c}#queries`);
  });
}
