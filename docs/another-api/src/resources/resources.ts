/** Imports every resource module once. */
import './issue/issue.ts';
