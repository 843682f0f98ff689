// Names for the arrows of the navigation, which have no text; and tables of notebooks that scroll
// sideways on a phone can be reached with the keyboard.
document.addEventListener("DOMContentLoaded", () => {
  for (const arrow of document.querySelectorAll(".bd-sidebar summary:not([aria-label])")) {
    const link = arrow.closest("li")?.querySelector("a");
    if (link) arrow.setAttribute("aria-label", `Pages of ${link.textContent.trim()}`);
  }
  for (const block of document.querySelectorAll('.cell_output div[style*="overflow-x"]')) {
    block.tabIndex = 0;
  }
});
