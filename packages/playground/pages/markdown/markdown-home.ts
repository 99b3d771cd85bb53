/** The repository that a text belongs to. */

/** The target of `#12`, `@ada` and bare commit ids: `/owner/name` of the text's repository. */
export type MarkdownHome = { readonly repoPath: string };
