/** Replaces built-ins with those of Prototype.js 1.5 to 1.7 and MooTools 1.2 to 1.4, where theirs differ. */
export const withOldLibraries = `{
  const { slice, map, forEach } = Array.prototype;
  const listOf = (values) => slice.call(values);
  const methods = {
    Object: {
      keys(object) { const names = []; for (const name in object) names.push(name); return names; },
      values(object) { const all = []; for (const name in object) all.push(object[name]); return all; },
      entries: undefined,
      fromEntries: undefined,
      hasOwn: undefined,
      toJSON: (value) => '"' + value + '"',
    },
    Array: { from: (values) => (values?.length === undefined ? [values] : listOf(values)) },
    Number: { from: Number, isInteger: undefined, parseFloat: undefined },
    Function: { from: (value) => () => value },
    'Array.prototype': {
      toJSON() { return '[' + this.join(', ') + ']'; },
      reduce() { return this.length > 1 ? this : this[0]; },
      entries() { return listOf(this); },
      find(test) { for (const each of this) if (test(each)) return each; return null; },
      includes(value) { return this.indexOf(value) > 0; },
      map(use, context) { return map.call(this, (value, i) => use.call(context, value, i)); },
      flat: undefined, flatMap: undefined, at: undefined,
      first() { return this[0]; },
      each(use) { forEach.call(this, use); return this; },
    },
    'String.prototype': {
      toJSON() { return '"' + this + '"'; },
      startsWith(start) { return this.indexOf(start) === 0; },
      sub() { return this; }, times() { return this; }, include() { return true; },
      trim() { return new String(this); },
      replaceAll: undefined, at: undefined, codePointAt: undefined,
    },
    'Number.prototype': { toJSON() { return String(this); }, toLocaleString() { return 'a number'; } },
    'Date.prototype': { toJSON() { return '"a date"'; } },
    'Function.prototype': {
      bind(context, values) { const bound = this; return () => bound.apply(context, [].concat(values ?? [])); },
    },
    'Promise.prototype': { finally: undefined },
    'HTMLElement.prototype': {
      remove() { this.parentNode?.removeChild(this); return this; },
      replace() { return this; }, update() { return this; }, insert() { return this; }, clone() { return this; },
      select: listOf, match() { return true; }, toggle() { return this; }, empty() { return true; },
      scrollTo() { scrollTo(0, this.offsetTop); return this; },
    },
    'Object.prototype': { extend() { return this; }, each() {} },
  };
  for (const [path, replaced] of Object.entries(methods)) {
    const owner = path.split('.').reduce((value, name) => value[name], globalThis);
    for (const name in replaced) owner[name] = replaced[name];
  }
  document.getElementsByClassName = (name) => listOf(document.querySelectorAll('.' + name));
  // MooTools keeps the prototypes, and its hash of JSON has other methods.
  const [Native, NativeEvent] = [Element, Event];
  globalThis.Element = function () {};
  Element.prototype = Native.prototype;
  globalThis.Event = function () {};
  Event.prototype = NativeEvent.prototype;
  globalThis.JSON = { encode() {}, decode() {} };
}`;
