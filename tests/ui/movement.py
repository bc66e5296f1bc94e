"""A graph moved and scaled frame by frame in the browser, for the test and for the figures."""

FRAMES = 120
MOVED = """
const done = arguments[0];
const area = document.querySelector('.drawing');
let redrawn = 0;
const watch = new MutationObserver((all) => {
  redrawn += all.filter((each) => each.type === 'childList').length;
});
watch.observe(area, {subtree: true, childList: true});
const frames = [], places = new Set(), sizes = new Set();
let last = performance.now();
area.scrollTop = 0;
const step = (now) => {
  frames.push(now - last);
  last = now;
  const turn = frames.length;
  if (turn > N) {
    watch.disconnect();
    done({frames: frames.slice(1), redrawn, places: places.size, sizes: sizes.size});
    return;
  }
  area.scrollTop += 17;
  if (turn % 5 === 0) area.zoom(turn % 50 < 25 ? 1 : -1);
  places.add(Math.round(area.scrollTop));
  sizes.add(area.querySelector('.sheet').style.width);
  requestAnimationFrame(step);
};
requestAnimationFrame(step);
""".replace("N)", f"{FRAMES})", 1)
