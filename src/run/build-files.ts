/** Files that execute code while Python is resolved, built or started, identified by path. */

/** Read by uv, pip, build backends, version managers and Python before the job's own code runs. */
const NAMES =
  /^(?:(?:pyproject|hatch|cargo)\.toml|uv\.(?:lock|toml)|setup\.(?:py|cfg)|manifest\.in|(?:hatch|pdm)_build\.py|(?:pdm|poetry|pixi)\.(?:toml|lock)|pipfile(?:\.lock)?|pip\.conf|conda\.yaml|environment\.yml|build\.rs|cmakelists\.txt|meson\.build|pyvenv\.cfg|\.python-versions?|\.tool-versions|\.?mise\.toml|rust-toolchain(?:\.toml)?|\.env(?:rc)?|\.gitmodules|\.marin\.yaml|(?:site|user)customize\.py|(?:requirements|constraints)[\w.-]*\.(?:txt|in))$/;

/** Virtual environments, installed packages, and tool settings that name programs. */
const FOLDERS: ReadonlySet<string> = new Set(['.venv', 'venv', 'site-packages', '.cargo', '.mise']);

/** Case-insensitive, as some file systems are. */
export function isBuildFile(path: string): boolean {
  const parts = path.toLowerCase().split('/');
  const name = parts.at(-1) ?? '';
  return (
    NAMES.test(name) ||
    name.endsWith('.pth') ||
    parts.slice(0, -1).some((folder) => FOLDERS.has(folder) || /\.(egg-info|dist-info)$/.test(folder))
  );
}
