/** What can be done with the keyboard. */
import { Modal } from './modal.tsx';

const KEYS: readonly (readonly [string, string])[] = [
  ['g o', 'Overview'],
  ['g v', 'Volumes'],
  ['g n', 'Nodes'],
  ['g p', 'Pools'],
  ['g s', 'Sync'],
  ['/', 'Search volumes'],
  ['↓', 'From the search to what was found'],
  ['↑ ↓ PgUp PgDn Home End', 'Move through volumes and menus'],
  ['Enter', 'Open'],
  ['Esc', 'Close; clear the search, or leave it'],
  ['?', 'These keys'],
];

export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Modal title="Keys" onClose={onClose}>
      <dl class="keys">
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <div class="modal-buttons">
        <button type="button" class="button primary" onClick={onClose}>
          Close
        </button>
      </div>
    </Modal>
  );
}
