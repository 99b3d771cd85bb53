/** The repository that a text belongs to. */

/** Where `#12`, `@ada` and a bare commit id lead: `/owner/name` of the repository that the text belongs to. */
export type MarkdownHome = { readonly repoPath: string };
