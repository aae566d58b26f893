/** A reporter of Vitest that names each test that was skipped, with its reason where it gave one. */
import { relative } from 'node:path';

export default class SkippedTests {
  onTestRunEnd(modules) {
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const { note } = test.result();
        const file = relative(process.cwd(), module.moduleId);
        console.log(`Skipped: ${file}: ${test.fullName}${note ? ` (${note})` : ''}`);
      }
    }
  }
}
