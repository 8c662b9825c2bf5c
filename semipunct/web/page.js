"use strict";
// Text is only ever set as textContent, so that it is never taken for markup.
const byId = (id) => document.getElementById(id);
const source = byId("source"), result = byId("result"), status = byId("status");
const language = byId("language"), toggle = document.createElement("button");
toggle.id = "toggle";
// Refusals have places in the text of the last answer, and move with it as it is edited.
let pieces = [], refusals = [], answered = "", chosen = null, timer = 0, latest = 0;

const text = () => pieces.map((p) => (p.refused ? p.before : p.text)).join("");
const share = (p) => (p > 0 && p < 0.005 ? "under 1%" : `${Math.round(100 * p)}%`);

function named(piece) {
  const mark = piece.marks[0];
  const shown = mark.decision === "removed" ? mark.before : mark.after;
  return `${shown} ${mark.decision}, ${share(mark.probability)}`;
}

function moved(places, before, after) {
  const shorter = Math.min(before.length, after.length);
  let start = 0, end = 0;
  while (start < shorter && before[start] === after[start]) start++;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return places.flatMap((place) => {
    if (place.at + place.before.length <= start) return [place];
    if (place.at < before.length - end) return [];
    return [{ ...place, at: place.at + after.length - before.length }];
  });
}

const same = (a, b) => a.at === b.at && a.before === b.before && a.text === b.text;

function refuse(piece, refused) {
  piece.refused = refused;
  refusals = refusals.filter((one) => !same(one, piece));
  if (refused) refusals.push({ at: piece.at, before: piece.before, text: piece.text });
}

function take(found, sent) {
  refusals = moved(refusals, answered, sent);
  answered = sent;
  pieces = found;
  let at = 0;
  for (const piece of pieces) {
    piece.at = at;
    piece.refused = Boolean(piece.marks) && refusals.some((one) => same(one, piece));
    at += (piece.before ?? piece.text).length;
  }
  draw();
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
  byId("download").disabled = byId("copy").disabled = pieces.length === 0;
  byId("accept").disabled = byId("refuse").disabled = !pieces.some((p) => p.marks);
  explain();
}

function explain() {
  byId("why").hidden = chosen === null;
  toggle.remove();
  if (chosen === null) return;
  chosen.button.after(toggle);
  byId("mark").textContent = named(chosen);
  byId("reason").textContent = chosen.marks.map((m) => m.reason).join(" ");
  const mark = chosen.marks[0];
  byId("alternatives").replaceChildren(...mark.alternatives.slice(0, 3).map((one) => {
    const item = document.createElement("li");
    item.textContent = `${one.marks || "nothing"}: ${share(one.probability)}`;
    return item;
  }));
  toggle.textContent = chosen.refused ? "Accept" : "Refuse";
}

async function ask() {
  clearTimeout(timer);
  const number = ++latest, sent = source.value;
  const task = document.querySelector("input[name=task]:checked").value;
  chosen = null;
  explain();
  if (!sent.trim()) { take([], sent); status.textContent = ""; return; }
  status.textContent = "Working";
  try {
    const answer = await fetch(`v1/${task}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ text: sent, language: language.value }),
    });
    if (number !== latest) return;
    if (!answer.ok) { status.textContent = await answer.text(); return; }
    const found = (await answer.json()).pieces;
    if (number !== latest) return;
    take(found, sent);
    result.lang = language.value;
    const marks = pieces.filter((p) => p.marks).length;
    status.textContent = marks === 1 ? "1 change" : `${marks} changes`;
  } catch (error) {
    if (number === latest) status.textContent = `The server does not answer: ${error.message}`;
  }
}

async function read(file) {
  if (/\.(srt|vtt)$/i.test(file.name)) {
    status.textContent = "Subtitles have lines that are no text; restore them with: semipunct restore";
    return;
  }
  try {
    source.value = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    status.textContent = `${file.name} is not text in UTF-8`;
    return;
  }
  ask();
}

async function listLanguages() {
  const known = new Set();
  for (const row of await (await fetch("v2/languages")).json()) {
    if (!known.has(row.code)) language.append(new Option(row.name, row.code));
    known.add(row.code);
  }
}

source.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, 350); });
for (const choice of [language, ...document.querySelectorAll("input[name=task]")]) choice.addEventListener("change", ask);
byId("file").addEventListener("change", (event) => { if (event.target.files[0]) read(event.target.files[0]); });
document.addEventListener("dragover", (event) => { if (event.dataTransfer.types.includes("Files")) event.preventDefault(); });
document.addEventListener("drop", (event) => {
  const [file] = event.dataTransfer.files;
  if (!file) return;
  event.preventDefault();
  read(file);
});
toggle.addEventListener("click", () => {
  refuse(chosen, !chosen.refused);
  draw();
  toggle.focus();
});
for (const name of ["accept", "refuse"]) byId(name).addEventListener("click", () => {
  for (const piece of pieces) if (piece.marks) refuse(piece, name === "refuse");
  draw();
});
// The escape key leads from the reason back to the mark.
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
listLanguages();
