"use strict";
// Text is only ever set as textContent, so that it is never taken for markup.
const byId = (id) => document.getElementById(id);
const source = byId("source"), result = byId("result"), status = byId("status");
let pieces = [], chosen = null, timer = 0, latest = 0;

const text = () => pieces.map((p) => (p.refused ? p.before : p.text)).join("");
const share = (p) => (p > 0 && p < 0.005 ? "under 1%" : `${Math.round(100 * p)}%`);

function named(piece) {
  const mark = piece.marks[0];
  const shown = mark.decision === "removed" ? mark.before : mark.after;
  return `${shown} ${mark.decision}, ${share(mark.probability)}`;
}

function draw() {
  result.replaceChildren();
  for (const piece of pieces) {
    if (!piece.marks) {
      result.append(piece.text);
      continue;
    }
    const button = document.createElement("button");
    const shown = piece.refused ? piece.before : piece.text;
    button.textContent = shown.trim() || "‸";
    button.className = piece.refused ? "refused" : "";
    button.setAttribute("aria-label", `${named(piece)}${piece.refused ? ", refused" : ""}`);
    button.addEventListener("click", () => { chosen = piece; explain(); });
    piece.button = button;
    const [, before, after] = shown.trim() ? shown.match(/^(\s*)[^]*?(\s*)$/) : [0, "", shown];
    result.append(before, button, after);
  }
  const none = pieces.length === 0;
  byId("download").disabled = byId("copy").disabled = none;
}

function explain() {
  byId("why").hidden = chosen === null;
  if (chosen === null) return;
  byId("mark").textContent = named(chosen);
  byId("reason").textContent = chosen.marks.map((m) => m.reason).join(" ");
  const mark = chosen.marks[0];
  byId("alternatives").replaceChildren(...mark.alternatives.slice(0, 3).map((one) => {
    const item = document.createElement("li");
    item.textContent = `${one.marks || "nothing"}: ${share(one.probability)}`;
    return item;
  }));
  byId("toggle").textContent = chosen.refused ? "Accept" : "Refuse";
}

async function ask() {
  const number = ++latest;
  const task = document.querySelector("input[name=task]:checked").value;
  chosen = null;
  explain();
  if (!source.value.trim()) { pieces = []; draw(); status.textContent = ""; return; }
  status.textContent = "Working";
  try {
    const answer = await fetch(`v1/${task}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ text: source.value }),
    });
    if (number !== latest) return;
    if (!answer.ok) { status.textContent = await answer.text(); return; }
    pieces = (await answer.json()).pieces;
    draw();
    const marks = pieces.filter((p) => p.marks).length;
    status.textContent = marks === 1 ? "1 change" : `${marks} changes`;
  } catch (error) {
    if (number === latest) status.textContent = `The server does not answer: ${error.message}`;
  }
}

function later() { clearTimeout(timer); timer = setTimeout(ask, 350); }

source.addEventListener("input", later);
for (const radio of document.querySelectorAll("input[name=task]")) radio.addEventListener("change", ask);
byId("toggle").addEventListener("click", () => {
  chosen.refused = !chosen.refused;
  draw();
  explain();
  byId("toggle").focus();
});
// The reason is below the text; the escape key leads back to the mark.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || chosen === null) return;
  const { button } = chosen;
  chosen = null;
  explain();
  button.focus();
});
byId("copy").addEventListener("click", () => navigator.clipboard.writeText(text()));
byId("download").addEventListener("click", () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text()], { type: "text/plain" }));
  link.download = "punctuated.txt";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
});
