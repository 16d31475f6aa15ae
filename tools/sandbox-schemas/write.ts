/** Writes what the sandbox knows about built-in kinds. Asks a real API server and the sources that it was built from. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startControlPlane } from '../../test/harness/control-plane.ts';
import { readGoFields } from './go-fields.ts';
import { readSchemas } from './open-api.ts';

const DIRECTORY = resolve(import.meta.dirname, '../../src/sandbox/schema');

await using plane = await startControlPlane();
const schemas = await readSchemas((path) => plane.admin.get(path));
write('built-in.json', schemas);
write('go-fields.json', { fields: readGoFields(schemas.definitions) });

/** One definition to a line: small, and a change is still to be seen. */
function write(file: string, sections: object): void {
  const text = Object.entries(sections).map(([section, entries]) => {
    const lines = Object.entries(entries as object).map(
      ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
    );
    return `${JSON.stringify(section)}: {\n${lines.join(',\n')}\n}`;
  });
  writeFileSync(join(DIRECTORY, file), `{\n${text.join(',\n')}\n}\n`);
}
