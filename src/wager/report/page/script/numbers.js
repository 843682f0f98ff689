// Numbers as Python writes them in sentences, and lists of whole numbers that are packed into a text.

wager.numbers = (function () {

// -- numbers in words ------------------------------------------------------------------------------

/** f"{x:.{digits}f}" of Python: ties between two decimals go to the even one. */
function fixed(x, digits) {
  if (!Number.isFinite(x)) return x !== x ? "nan" : x > 0 ? "inf" : "-inf";
  if (x < 0 || Object.is(x, -0)) return `-${fixed(-x, digits)}`;
  const long = x.toFixed(Math.min(digits + 30, 100));
  const cut = long.length - Math.min(digits + 30, 100) + digits;
  const isTie = /^50*$/.test(long.slice(cut));
  const isEven = Number(long.slice(0, cut).replace(/\.$/, "").slice(-1)) % 2 === 0;
  if (isTie && isEven) return long.slice(0, cut).replace(/\.$/, "");
  return x.toFixed(digits);
}

/** The smallest number of decimals at which the two numbers of each pair look different (_decimals.py). */
function decimals(pairs, least = 2) {
  let found = least;
  for (const [a, b] of pairs) {
    if (fixed(a, 6) === fixed(b, 6)) continue;
    while (fixed(a, found) === fixed(b, found)) found += 1;
  }
  return found;
}

/** f"{x:.{digits}g}" of Python: so many significant digits, without zeros at the end. */
function general(x, digits = 6) {
  if (!Number.isFinite(x)) return fixed(x, 0);
  if (x === 0) return Object.is(x, -0) ? "-0" : "0";
  const [mantissa, power] = x.toExponential(digits - 1).split("e");
  const exponent = Number(power);
  const short = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (exponent >= -4 && exponent < digits) return short(fixed(x, digits - 1 - exponent));
  const sign = exponent < 0 ? "-" : "+";
  return `${short(mantissa)}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** f"{x:,.{digits}f}" of Python: with commas between thousands. */
function grouped(x, digits) {
  const [whole, rest] = fixed(x, digits).split(".");
  const commas = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return rest === undefined ? commas : `${commas}.${rest}`;
}

/** Names as a list in a sentence: "ncc, nbc and cdt". */
function listed(names) {
  const first = names.slice(0, -1);
  const last = names[names.length - 1];
  return first.length ? `${first.join(", ")} and ${last}` : last;
}

// -- packed lists: 5 bits per character, the least significant ones first ------------------------------

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUES = new Uint8Array(128);
for (let i = 0; i < 64; i++) VALUES[ALPHABET.charCodeAt(i)] = i;

/** A list of whole numbers that may be packed into a text. */
function unpack(list) {
  if (typeof list !== "string") return list;
  const found = [];
  let value = 0;
  let unit = 1;
  for (let i = 0; i < list.length; i++) {
    const digit = VALUES[list.charCodeAt(i)];
    value += (digit & 31) * unit;
    if (digit & 32) {
      unit *= 32;
    } else {
      found.push(value);
      value = 0;
      unit = 1;
    }
  }
  return found;
}

/** Whole numbers as a packed text. */
function pack(numbers) {
  let text = "";
  for (let value of numbers) {
    for (; value >= 32; value = Math.floor(value / 32)) text += ALPHABET[32 + (value % 32)];
    text += ALPHABET[value];
  }
  return text;
}

/** An ascending list from its steps: the first number, then differences of neighbours. */
function fromSteps(list) {
  let sum = 0;
  return Array.from(unpack(list), (step) => (sum += step));
}

/** The steps of an ascending list. */
function toSteps(numbers) {
  return Array.from(numbers, (number, i) => (i ? number - numbers[i - 1] : number));
}

return { fixed, decimals, general, grouped, listed, unpack, pack, fromSteps, toSteps };

})();
