// Opens the page of a question: the pages are unpacked when the first of them is asked for.
{
  const dialog = document.getElementById("page");
  const body = document.getElementById("page-body");
  let pages;

  const unpack = async () => {
    const text = document.getElementById("pages").content.textContent.trim();
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).json();
  };

  // An element with text and elements in it; texts stay texts.
  const make = (tag, attributes, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children.filter((child) => child !== ""));
    return made;
  };

  const table = (name, head, rows) =>
    make(
      "div",
      { class: "scroll", role: "region", "aria-label": name, tabindex: "0" },
      make(
        "table",
        {},
        make("caption", { class: "unseen" }, name),
        make("thead", {}, make("tr", {}, ...head.map((one) => make("th", { scope: "col" }, one)))),
        make(
          "tbody",
          {},
          ...rows.map((row) => make("tr", {}, ...row.map((cell) => make("td", {}, ...[cell].flat())))),
        ),
      ),
    );

  const passages = (found) =>
    found.map((id) => {
      const [title, text] = pages.passages[id] ?? ["", "not in the corpus"];
      return make(
        "details",
        {},
        make("summary", {}, title ? `${title} (${id})` : id),
        make("p", { class: "small lines" }, text),
      );
    });

  const graph = (svg) => {
    // Drawn by factchain, every label in it escaped.
    const holder = make("template", {});
    holder.innerHTML = svg;
    return make("div", { class: "graph" }, holder.content);
  };

  const verdict = (right, error) => {
    if (error) return `not asked: ${error}`;
    return right === null ? "not scored" : right ? "✓ right" : "✗ wrong";
  };

  const way = ({ steps, passages: shown }) => [
    ...(shown.length ? [make("p", { class: "small" }, "Passages before the question:")] : []),
    ...passages(shown),
    ...(steps.length
      ? [
          make(
            "ol",
            { class: "way" },
            ...steps.map((step) => {
              const said = [];
              if (step.certain !== null) said.push(step.certain ? "certain" : "uncertain");
              if (step.retrieved) said.push("searched");
              return make(
                "li",
                {},
                `${step.question} → ${step.answer || "(nothing)"}`,
                said.length ? ` (${said.join(", ")})` : "",
                ...passages(step.passages),
              );
            }),
          ),
        ]
      : []),
  ];

  const steps = (hops) =>
    table(
      "Sub-questions",
      ["Hop", "Sub-question, facts, gold passages", "Answer"],
      hops.map((hop) => [
        String(hop.hop),
        [
          make("p", {}, hop.question + (hop.label ? ` (${hop.label})` : "")),
          hop.template ? make("p", { class: "small" }, hop.template) : "",
          ...hop.stated.map((fact) => make("p", { class: "small" }, fact)),
          ...passages(hop.gold),
        ],
        hop.answer,
      ]),
    );

  const draw = (page) => {
    const heading = make("h2", { id: "page-title", tabindex: "-1" }, page.question);
    const also = page.names.length ? make("small", {}, `also ${page.names.join("; ")}`) : "";
    body.replaceChildren(
      make("p", { class: "eyebrow" }, page.told),
      heading,
      make("p", { class: "answer" }, make("span", {}, "Answer"), ` ${page.answer} `, also),
      make(
        "div",
        { class: "drawn" },
        page.graph ? graph(page.graph) : "",
        make("div", { class: "steps" }, steps(page.hops)),
      ),
      make("h3", {}, "What the models said"),
      page.asked.length
        ? table(
            "What the models said",
            ["Model", "Setting", "Hop", "Reply", "Verdict", "On the way"],
            page.asked.map(([number, hop, said, gold, right, error]) => [
              ...pages.settings[number],
              hop ? String(hop) : "",
              said || "(nothing)",
              verdict(right, error) + (gold && !right ? `; gold: ${gold}` : ""),
              page.notes[number] ? way(page.notes[number]) : "",
            ]),
          )
        : make("p", {}, "No model was asked."),
      page.checks.length ? make("h3", {}, "Checks") : "",
      make(
        "ul",
        { class: "checks" },
        ...page.checks.map(([check, passed, evidence]) =>
          make("li", {}, make("strong", {}, `${check}: ${passed ? "passed" : "failed"}. `), evidence),
        ),
      ),
    );
    dialog.showModal();
    dialog.scrollTop = 0;
    heading.focus();
  };

  report.open = async (id) => {
    pages ??= await unpack();
    if (pages.questions[id]) draw(pages.questions[id]);
  };
  document.getElementById("all").addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#question="]');
    if (!link) return;
    event.preventDefault();
    const id = new URLSearchParams(link.hash.slice(1)).get("question");
    report.show(id);
    report.open(id);
  });
  dialog.addEventListener("close", () => report.show(""));
  document.getElementById("page-close").addEventListener("click", () => dialog.close());
}
