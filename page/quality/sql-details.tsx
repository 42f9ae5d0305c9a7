interface Props {
  readonly title: string;
  /** Of the query that asks the records the same. */
  readonly name: string;
  readonly text: string;
}

/** The SQL that gets the same out of the records. */
export function SqlDetails({ title, name, text }: Props) {
  return (
    <details>
      <summary>SQL: {title}</summary>
      <p>
        <code>assay query {name}</code>
      </p>
      <div class="text">
        <pre>{text}</pre>
      </div>
    </details>
  );
}
