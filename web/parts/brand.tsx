/** The name, with its mark: a holdfast is what a kelp holds on to the rock with. */
export function Brand() {
  return (
    <span class="brand">
      <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
        <rect width="24" height="24" rx="6" />
        <path d="M12 4v9M7 9.5l5 3.5 5-3.5M6.5 19.5c0-3.5 5.5-2 5.5-6.5 0 4.5 5.5 3 5.5 6.5M12 13v6.5" />
      </svg>
      Holdfast
    </span>
  );
}
