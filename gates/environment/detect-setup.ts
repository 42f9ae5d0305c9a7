import { detectNodeSetup } from './detect/node.ts';
import { detectPythonSetup } from './detect/python.ts';
import type { DetectedDependencySetup, RepositoryFiles } from './detect/repository-files.ts';

/**
 * Proposes setup lines from the manifests and lock files of a repository. Runs nothing.
 * Lines of one package manager come together; a folder is '' for the top.
 */
export async function detectDependencySetup(files: RepositoryFiles): Promise<DetectedDependencySetup[]> {
  return [
    ...(await detectNodeSetup(files)),
    ...(await detectPythonSetup(files)),
    ...detectGoSetup(files),
    ...detectRustSetup(files),
  ];
}

function detectGoSetup({ paths, foldersWith }: RepositoryFiles): DetectedDependencySetup[] {
  const workspace = paths.includes('go.work');
  const modules = foldersWith('go.mod').slice(0, MAX_PROJECTS);
  const folders = workspace ? [''] : modules;
  return folders.map((folder) => ({
    reason: workspace ? 'go.work' : `${folder === '' ? '' : `${folder}/`}go.mod`,
    lines: [{ run: 'go mod download', folder }],
    // Compiles, vets and links the tests of all packages, and starts none of them.
    warmUp: (workspace ? modules : [folder]).map((each) => ({
      run: 'go test -exec true ./...',
      folder: each,
    })),
  }));
}

function detectRustSetup({ paths, foldersWith }: RepositoryFiles): DetectedDependencySetup[] {
  const all = foldersWith('Cargo.toml');
  // Members of a workspace share the lock file of its root.
  const folders = paths.includes('Cargo.toml') ? [''] : all;
  return folders.slice(0, MAX_PROJECTS).map((folder) => {
    const locked = paths.includes(folder === '' ? 'Cargo.lock' : `${folder}/Cargo.lock`);
    return {
      reason: `${folder === '' ? '' : `${folder}/`}Cargo.toml`,
      lines: [{ run: locked ? 'cargo fetch --locked' : 'cargo fetch', folder }],
      // Compiles the crates that tests and checkers need, and starts nothing of the tree but its build scripts.
      warmUp: ['cargo test --quiet --no-run', 'cargo check --quiet --all-targets'].map((run) => ({
        run,
        folder,
      })),
    };
  });
}

/** Most projects of one language that are prepared. */
const MAX_PROJECTS = 10;
