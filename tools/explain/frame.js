/* SPDX-License-Identifier: Apache-2.0 */
/* The list of views; each has an id, a title and render(model, box, parameters). */
const views = [];
