/** Limits of the web page: how much it reads, shows and accepts. */

export const pageLimits = {
  /** A comment may have 65,536 characters; four bytes each in UTF-8, three characters each when form-encoded. */
  formBytesMax: 1_048_576,
  /** The API's own largest page. */
  itemsPerRequest: 100,
  /** Maximum number of list pages to read. */
  requestsPerListMax: 10,
  /**
   * Up to this many comments, a thread is fully rendered. For a longer thread only the newest hundred or two are
   * rendered, the others are plain text.
   */
  commentsDrawnMax: 300,
  /** Maximum number of pages with a thread's comments; a comment has at most 65,536 characters. */
  commentPagesMax: 200,
  /** Rows of one file's diff; a longer diff is cut with a note, as on GitHub. */
  diffLinesMax: 2_000,
  /**
   * Rows of all files of a change together, and of a file that is shown separately: a browser renders them in a second.
   */
  diffLinesOfPageMax: 6_000,
  /** Log lines of one job that are sent to the browser; the newest are kept. */
  logLinesMax: 5_000,
  /** Log lines of all jobs of a run together. Above the limit, long logs are cut before short ones. */
  logLinesOfPageMax: 10_000,
  /** Maximum size of a text file that is shown; larger files are only described. */
  fileBytesMax: 1_000_000,
  /** Rows of the world's panel. */
  deliveriesShown: 50,
  logbookEntriesShown: 200,
  /** Redirects that the page follows within the API. */
  redirectsMax: 2,
  /** Cached API answers for conditional requests; a thread's page needs about a dozen per person. */
  answersKeptMax: 500,
} as const;
