/** A command without what only says how it is run: `sudo -u ray`, `env A=b`, `timeout 30`, variables in front. */

/** Options of each that take a value of their own, and how many operands stand before the command. */
const WRAPPERS: Readonly<Record<string, { readonly valued: readonly string[]; readonly operands: number }>> =
  {
    sudo: { valued: ['-u', '-g', '-h', '-p', '-C'], operands: 0 },
    env: { valued: ['-u', '-C'], operands: 0 },
    exec: { valued: ['-a'], operands: 0 },
    command: { valued: [], operands: 0 },
    nohup: { valued: [], operands: 0 },
    setsid: { valued: [], operands: 0 },
    time: { valued: [], operands: 0 },
    nice: { valued: ['-n'], operands: 0 },
    ionice: { valued: ['-c', '-n'], operands: 0 },
    stdbuf: { valued: ['-i', '-o', '-e'], operands: 0 },
    timeout: { valued: ['-k', '-s'], operands: 1 },
    flock: { valued: ['-w', '-E'], operands: 1 },
  };

/** The words of the command itself; a lone assignment comes back as `export`. */
export function unwrapped(words: readonly string[]): readonly string[] {
  const [first = ''] = words;
  if (/^[A-Za-z_]\w*=/.test(first))
    return words.every((word) => /^[A-Za-z_]\w*=/.test(word))
      ? ['export', ...words]
      : unwrapped(words.slice(1));
  const wrapper = Object.hasOwn(WRAPPERS, first) ? WRAPPERS[first] : undefined;
  if (wrapper === undefined || words.length === 1) return words;
  let at = 1;
  for (let word = words[at]; word?.startsWith('-') === true; word = words[at])
    at += wrapper.valued.includes(word) ? 2 : 1;
  return unwrapped(words.slice(at + wrapper.operands));
}

/** The text that a shell of its own is given to run (`bash -c TEXT`), and whether it ends at the first failure; null for any other command. */
export function shellText(
  words: readonly string[],
): { readonly text: string; readonly errexit: boolean } | null {
  const [name = '', ...args] = unwrapped(words);
  const program = name.split('/').at(-1) ?? '';
  if (!['sh', 'bash', 'dash', 'zsh', 'su'].includes(program)) return null;
  const at = args.findIndex((word) => /^-[a-z]*c$/.test(word));
  const text = args[at + 1];
  if (at === -1 || text === undefined) return null;
  return { text, errexit: args.slice(0, at + 1).some((word) => /^-[a-z]*e/.test(word)) };
}
