// Names for the arrows of the navigation, which have no text of their own.
document.addEventListener("DOMContentLoaded", () => {
  for (const arrow of document.querySelectorAll(".bd-sidebar summary:not([aria-label])")) {
    const link = arrow.closest("li")?.querySelector("a");
    if (link) arrow.setAttribute("aria-label", `Pages of ${link.textContent.trim()}`);
  }
});
