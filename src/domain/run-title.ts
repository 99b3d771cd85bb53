/** Whose workflow run it is, by its title: GitHub's list of runs shows no inputs, so that the workflows write them into `run-name`. */

/**
 * Whether a title names this run or cluster as a word of its own: `ferrybot watch v5-big` is no watch of `v5`. Names have
 * letters, digits and dashes (config, `clusters`).
 */
export function isTitledFor(title: string, name: string): boolean {
  return title.split(/[^A-Za-z0-9_-]+/).includes(name);
}
