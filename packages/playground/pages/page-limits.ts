/** Bounds of the web page: how much it reads, shows and accepts. */

export const pageLimits = {
  /** A comment may have 65,536 characters; four bytes each in UTF-8, three characters each when form-encoded. */
  formBytesMax: 1_048_576,
  /** The API's own largest page. */
  itemsPerRequest: 100,
  /** Pages of a list that are read. */
  requestsPerListMax: 10,
  /** Comments of a thread up to which all are drawn; of a longer one the newest hundred or two, the others stand as plain text. */
  commentsDrawnMax: 300,
  /** Pages of a thread's comments that are read; a comment has 65,536 characters at most. */
  commentPagesMax: 200,
  /** Rows of one file's diff; a longer one is cut with a note, as GitHub does. */
  diffLinesMax: 2_000,
  /** Rows of all files of a change together, and of one that is shown alone: a browser draws them in a second. */
  diffLinesOfPageMax: 6_000,
  /** Log lines of one job that the browser gets; the newest are kept. */
  logLinesMax: 5_000,
  /** Log lines of all jobs of a run together; above that the long ones give way to the short ones. */
  logLinesOfPageMax: 10_000,
  /** A text file that is shown rather than described. */
  fileBytesMax: 1_000_000,
  /** Rows of the world's panel. */
  deliveriesShown: 50,
  logbookEntriesShown: 200,
  /** Redirects that the page follows within the API. */
  redirectsMax: 2,
  /** API answers kept to ask again only for what changed; a thread's page needs about a dozen a person. */
  answersKeptMax: 500,
} as const;
