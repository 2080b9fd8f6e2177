const state = await (await fetch("/studio/api/state")).json();
const list = document.getElementById("models");
for (const model of state.models) {
  const item = document.createElement("li");
  item.textContent = model.broken ? `${model.title}: ${model.broken}` : model.title;
  list.append(item);
}
