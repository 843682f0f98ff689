// Names for the arrows of the navigation, which have no text; long names of functions in lists and
// headings break after an underscore; and tables of notebooks that scroll sideways on a phone can be
// reached with the keyboard.
document.addEventListener("DOMContentLoaded", () => {
  for (const arrow of document.querySelectorAll(".bd-sidebar summary:not([aria-label])")) {
    const link = arrow.closest("li")?.querySelector("a");
    if (link) arrow.setAttribute("aria-label", `Pages of ${link.textContent.trim()}`);
  }
  for (const list of document.querySelectorAll(".bd-links, .bd-toc, .bd-article h1")) {
    const texts = document.createTreeWalker(list, NodeFilter.SHOW_TEXT);
    const long = [];
    while (texts.nextNode()) if (texts.currentNode.data.includes("_")) long.push(texts.currentNode);
    for (const text of long) {
      const parts = text.data.split(/(?<=_)/).flatMap((part) => [part, document.createElement("wbr")]);
      text.replaceWith(...parts.slice(0, -1));
    }
  }
  for (const block of document.querySelectorAll('.cell_output div[style*="overflow-x"]')) {
    block.tabIndex = 0;
  }
});
