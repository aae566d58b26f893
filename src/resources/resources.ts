/**
 * Imports every resource module once.
 */
import './page/page.ts';
import './audience/audience.ts';
import './audience-version/audience-version.ts';
import './page-link/page-link.ts';
import './topic/topic.ts';
import './account/account.ts';
import './person/person.ts';
import './log/log.ts';
