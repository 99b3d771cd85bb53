/**
 * Suffix of the first commit's subject, ` [asked in comment:4711:0]`: the branch is pushed before its run is recorded, so it must name its
 * command. The mark only points to a recorded command and grants nothing.
 */
export function branchMark(commandKey: string | null): string {
  return commandKey === null ? '' : ` [asked in ${commandKey}]`;
}

/** Parses the mark of a subject; null if there is none. */
export function markedCommand(subject: string): string | null {
  return (
    /\[asked in ((?:comment|review|review-comment):\d{1,15}:\d{1,3})\]$/.exec(subject.trim())?.[1] ?? null
  );
}
