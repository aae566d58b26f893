/** A route or a path of fields with line breaks between its parts only. */
import { Fragment } from 'react';

export function Breakable({ text }: { text: string }) {
  return text.split(/(?<=.)(?=\/)|(?<=\.)/).map((part, index) => (
    <Fragment key={index}>
      <wbr />
      {part}
    </Fragment>
  ));
}
