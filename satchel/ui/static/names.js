// How symbols, files and places are written, and where they are shown.

/** A qualified name without its module: `Class.method`. */
export const brief = (name) => name.split(".").slice(-2).join(".");

/** The last part of a path, a folder's with its slash. */
export const fileName = (path) => path.slice(path.replace(/\/$/, "").lastIndexOf("/") + 1);

/** The name of each path: the last part, and the folder before it where two would be the same. */
export function namesOf(paths) {
  const ends = paths.map(fileName);
  return new Map(
    paths.map((path, n) => [
      path,
      ends.indexOf(ends[n]) === ends.lastIndexOf(ends[n])
        ? ends[n]
        : path.split("/").slice(-2).join("/"),
    ]),
  );
}

/** The address of the graph around what is defined at a line. */
export const graphAt = ({ path, line }) => `/graph/${encodeURIComponent(`${path}:${line}`)}`;

/** Where an excerpt is, as it is written to put it in or take it out. */
export const placeOf = (e) => `${e.path}:${e.start_line}-${e.end_line}`;

/** What each excerpt of a pack counts as, as the API says: "match" or "neighbour". */
export function partsOf({ pack, segments }) {
  const parts = new Map(segments.map((each) => [each.excerpt, each.part]));
  return pack.excerpts.map((_, n) => parts.get(n));
}
