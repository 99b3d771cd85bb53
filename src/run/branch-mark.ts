/** Which command a proposal's branch was begun for, as the subject of its first commit says. */

/**
 * ` [asked in comment:4711:0]` behind the subject: the branch is pushed before its run is in the record, and whoever
 * finds it must know whose it is. A mark only says which recorded command to look up; it gives nobody anything.
 */
export function branchMark(commandKey: string | null): string {
  return commandKey === null ? '' : ` [asked in ${commandKey}]`;
}

/** The command's key of a subject; null where it carries none. */
export function markedCommand(subject: string): string | null {
  return (
    /\[asked in ((?:comment|review|review-comment):\d{1,15}:\d{1,3})\]$/.exec(subject.trim())?.[1] ?? null
  );
}
