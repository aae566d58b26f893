/** Imports every resource module once. */
import './issue.ts';
