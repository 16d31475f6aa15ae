/** Something that a person may do here. Where the console was not started for that there is no button. */
import type { Action } from '../../src/console/model.ts';
import { usePage } from '../page.ts';

export function ActionButton({ action }: { readonly action: Action | undefined }) {
  const { actions, ask } = usePage();
  if (!action || !actions.includes(action.name)) return null;
  return (
    <button type="button" class="button" onClick={() => ask(action)}>
      {action.label}
    </button>
  );
}
