/** How a sandbox is told from a real API server: by what follows the version that it behaves like, as distributions of Kubernetes do it. */
const BUILD = '+holdfast-sandbox';

export const sandboxVersion = (kubernetes: string): string => `${kubernetes}${BUILD}`;

export const isSandboxVersion = (version: string): boolean => version.endsWith(BUILD);
