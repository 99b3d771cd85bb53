/** What the interpreter says was wrong, where it is a slip that it can name (monitoring policy, *Fixing Small Bugs*). */

/** `suggested`: what the log says that it proposes, which the job's own code may have printed; null for nothing. */
export type Slip =
  | { readonly kind: 'name'; readonly name: string; readonly suggested: string | null }
  /** A module of the lab's own has no such name; `file` is that module's, as the log has it. */
  | {
      readonly kind: 'imported-name';
      readonly name: string;
      readonly file: string;
      readonly suggested: string | null;
    }
  | { readonly kind: 'module'; readonly name: string; readonly suggested: string | null }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'comma' | 'colon' };

/** Reads the last line of a traceback; null where it names nothing that could be put right from the files alone. */
export function slipIn(error: string): Slip | null {
  const name = /^NameError: name '(\w{1,100})' is not defined(?=$|\. )/.exec(error)?.[1];
  if (name !== undefined) return { kind: 'name', name, suggested: suggestedIn(error) };
  const from = /^ImportError: cannot import name '(\w{1,100})' from '[\w.]{1,200}' \(([^()]{1,400})\)/.exec(
    error,
  );
  if (from !== null)
    return { kind: 'imported-name', name: from[1] ?? '', file: from[2] ?? '', suggested: suggestedIn(error) };
  const module = /^(?:ModuleNotFoundError|ImportError): No module named '([\w.]{1,200})'/.exec(error)?.[1];
  if (module !== undefined) return { kind: 'module', name: module, suggested: suggestedIn(error) };
  const key = /^KeyError: (['"])([\w.-]{1,60})\1$/.exec(error)?.[2];
  if (key !== undefined) return { kind: 'key', key };
  if (/^SyntaxError: invalid syntax\. Perhaps you forgot a comma\?$/.test(error)) return { kind: 'comma' };
  return /^SyntaxError: expected ':'$/.test(error) ? { kind: 'colon' } : null;
}

function suggestedIn(error: string): string | null {
  return /(?:Did you mean:? |forget to import )'([\w.]{1,200})'/.exec(error)?.[1] ?? null;
}
