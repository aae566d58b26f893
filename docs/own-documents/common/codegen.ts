import { contentPages } from 'content-pages-client/codegen';

export default contentPages({ documents: 'src/**/*.tsx', output: 'src/graphql/', partial: true });
