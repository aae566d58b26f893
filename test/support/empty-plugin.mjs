/** An operator's plugin that does nothing, with which every operation passes the phases of Yoga and Envelop. */
export default [{}];
