// The browser of whoever sits at this machine, asked to open a page.

import { spawn } from 'node:child_process';

/**
 * Opens a page.
 * @returns whether something was there that could be asked; whether it did so nobody knows
 */
export async function openBrowser(url: string, environment: NodeJS.ProcessEnv): Promise<boolean> {
  const [program, ...words] = openerOf(environment);
  if (program === undefined) return false;
  return new Promise((resolve) => {
    const child = spawn(program, [...words, url], { detached: true, stdio: 'ignore' });
    child.on('error', () => resolve(false));
    child.on('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

function openerOf(environment: NodeJS.ProcessEnv): readonly string[] {
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['cmd', '/c', 'start', ''];
  // without a screen it would begin a browser for terminals, which nobody sees
  const hasScreen = ['DISPLAY', 'WAYLAND_DISPLAY'].some((name) => (environment[name] ?? '') !== '');
  return hasScreen ? ['xdg-open'] : [];
}
