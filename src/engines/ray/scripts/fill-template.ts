/** Fills an argument array of the config: a placeholder inside of an argument, or one that stands for several. */

export type Fill = {
  /** `{name}` anywhere in an argument. */
  readonly texts: Readonly<Record<string, string>>;
  /** `{name}` alone in its place, which becomes these arguments. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
};

/**
 * What is filled in is never looked at again, so a value with braces stays as it is. Whether every placeholder is
 * known was checked with the config (src/config/rules/ray-rules.ts); one that is not is a bug.
 */
export function fillTemplate(template: readonly string[], { texts, lists }: Fill): readonly string[] {
  return template.flatMap((argument) => {
    const alone = /^\{(\w+)\}$/.exec(argument)?.[1];
    const list = alone !== undefined && Object.hasOwn(lists, alone) ? lists[alone] : undefined;
    if (list !== undefined) return list;
    return [
      argument.replace(/\{(\w+)\}/g, (_whole, name: string) => {
        const text = Object.hasOwn(texts, name) ? texts[name] : undefined;
        if (text === undefined) throw new Error(`nothing is known to fill in for {${name}}`);
        return text;
      }),
    ];
  });
}
