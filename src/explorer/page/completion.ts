/** Completion: monaco-graphql's own suggests nothing after a brace, and sorts field 10 before field 2. */
import type { GraphQLSchema } from 'graphql';
import { getAutocompleteSuggestions } from 'graphql-language-service';
import type * as monaco from 'monaco-editor';
import { toCompletion as toMonacoCompletion } from 'monaco-graphql/esm/languageFeatures.js';
import { toCompletion, toGraphQLPosition } from 'monaco-graphql/esm/utils.js';

export const completionOf = (schema: GraphQLSchema): monaco.languages.CompletionItemProvider => ({
  triggerCharacters: ['{', '\n', '(', ':', '$', '@', ' '],
  provideCompletionItems: (model, position, { triggerCharacter }) => {
    const text = model.getValue();
    // New lines trigger suggestions right after a brace only.
    const isPlace =
      triggerCharacter !== '\n' || /\{\s*$/.test(text.slice(0, model.getOffsetAt(position)));
    if (!isPlace) return undefined;
    const items = getAutocompleteSuggestions(schema, text, toGraphQLPosition(position));
    return {
      incomplete: true,
      suggestions: items.map((item, index) => ({
        ...toMonacoCompletion(toCompletion(item)),
        sortText: String(index).padStart(5, '0'),
      })),
    };
  },
});
