// Search results: written pages come before parts of names in the reference.
var Scorer = {
  score: ([page, , , , score]) => (page.startsWith("guide/") ? score + 9 : score),
  objNameMatch: 11,
  objPartialMatch: 4,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
