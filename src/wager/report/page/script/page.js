// The page: one state, the sections that show it, and the address that remembers it.
//
// A section is {id, title, intro, applies(page), build(page) -> element, update(page, what)}; it is
// built when it comes near the window, and updated while it is visible.  What others hook in:
//
//   wager.drop.build(root, page)           file drop; calls page.show(data) with a new dictionary
//   wager.elicitPanel.build(root, page)    questions; calls page.setPerson({interval, values, toml})
//   wager.simplex.build(root, page, i)     the memberships of classifier i
//
// `page` has: data, model, names, state, dm() (utility), costDm(), set(changes), show(data).
