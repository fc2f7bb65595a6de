"use strict";
// Filters and sorts the table of questions. The state is in the address:
// #axis=recency&hops=2&labels=old-new&text=capital&sort=-hops&question=q-1
const report = { open: () => {}, question: "" };
{
  const form = document.getElementById("filter");
  const shown = document.getElementById("shown");
  const table = document.getElementById("all");
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const keys = heads.map((head) => head.dataset.key);
  const rows = [...body.rows].map((row) => ({
    row,
    cells: [...row.cells].map((cell) => cell.textContent.trim()),
    text: row.textContent.toLowerCase(),
  }));
  const order = new Intl.Collator("en", { numeric: true });
  let sort = "";

  const matches = ({ row, text }) => {
    const chosen = [...form.querySelectorAll("select")];
    const words = form.elements.text.value.toLowerCase().split(/\s+/);
    return (
      chosen.every(({ name, value }) => !value || row.dataset[name] === value) &&
      words.every((word) => text.includes(word))
    );
  };

  const apply = () => {
    const down = sort.startsWith("-");
    const column = keys.indexOf(sort.replace("-", ""));
    const compare = (a, b) => order.compare(a.cells[column], b.cells[column]) * (down ? -1 : 1);
    const sorted = column < 0 ? rows : [...rows].sort(compare);
    let count = 0;
    for (const entry of sorted) {
      entry.row.hidden = !matches(entry);
      count += entry.row.hidden ? 0 : 1;
    }
    // A row that is put in anew would lose the focus.
    const moved = sorted.some(({ row }, place) => body.rows[place] !== row);
    if (moved) body.append(...sorted.map(({ row }) => row));
    heads.forEach((head, index) => {
      if (index === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    shown.textContent = count
      ? `${count} of ${rows.length} questions`
      : "No question matches: clear the filter";
  };

  const read = () => {
    if (!location.hash.includes("=")) return;
    const state = new URLSearchParams(location.hash.slice(1));
    for (const field of form.querySelectorAll("[name]")) field.value = state.get(field.name) ?? "";
    sort = state.get("sort") ?? "";
    apply();
    report.question = state.get("question") ?? "";
    if (report.question) report.open(report.question);
    else form.scrollIntoView();
  };

  const changed = () => {
    const state = new URLSearchParams(new FormData(form));
    if (sort) state.set("sort", sort);
    if (report.question) state.set("question", report.question);
    for (const [name, value] of [...state]) if (!value) state.delete(name);
    history.replaceState(null, "", `#${state}` === "#" ? "#questions" : `#${state}`);
    apply();
  };

  heads.forEach((head) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    button.addEventListener("click", () => {
      sort = sort === head.dataset.key ? `-${sort}` : head.dataset.key;
      changed();
    });
    head.replaceChildren(button);
  });
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => {
    sort = "";
    setTimeout(changed);
  });
  report.show = (question) => {
    report.question = question;
    changed();
  };
  window.addEventListener("hashchange", read);
  window.addEventListener("load", read);
  form.hidden = false;
  apply();
}
