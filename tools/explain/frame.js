/* SPDX-License-Identifier: Apache-2.0 */
/* The list of views; each has an id, a title and render(model, box, parameters). */
const views = [];

/* A link to a view, by its title. */
function linkTo(id) {
  return make("a", {href: "#" + id}, views.find((view) => view.id === id).title);
}
