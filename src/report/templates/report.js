'use strict';
(function () {
  var root = document.documentElement;
  var theme = document.getElementById('theme');
  theme.hidden = false;
  theme.addEventListener('click', function () {
    var now = root.dataset.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    root.dataset.theme = now === 'dark' ? 'light' : 'dark';
  });

  var host = document.getElementById('browser');
  if (!host) return;
  var data = JSON.parse(document.getElementById('data').textContent);
  var w = data.words, PAGE = 25;
  var state = { filter: 'all', judge: -1, category: '', query: '', page: 0, at: 0, open: new Set() };
  var found = data.items;

  // Every text goes in as a text node; nothing here can make markup of it.
  function el(tag, cls, text) {
    var node = document.createElement(tag);
    if (cls) node.className = cls;
    if (text !== undefined && text !== null) node.textContent = text;
    return node;
  }
  function add(parent) {
    for (var i = 1; i < arguments.length; i++) if (arguments[i]) parent.appendChild(arguments[i]);
    return parent;
  }
  function fill(pattern, value) { return pattern.split('{}').join(value); }

  var flips = { flip_first: 1, flip_second: 1, inconsistent: 1 };
  var tests = {
    all: function () { return true; },
    flips: function (v) { return flips[v.o] === 1; },
    disagree: function (v) { return v.ok === false; },
    none: function (v) { return v.o === 'no_verdict'; }
  };
  function haystack(item) {
    if (item.hay === undefined) {
      var parts = [item.id, item.c, item.g, item.p, item.a, item.b, item.why, item.ma, item.mb];
      item.v.forEach(function (v) {
        [v.ab, v.ba].forEach(function (s) { if (s) parts.push(s.t, s.h, s.w); });
      });
      item.hay = parts.filter(Boolean).join('\n').toLowerCase();
    }
    return item.hay;
  }
  function matches(item) {
    if (state.category && item.c !== state.category) return false;
    if (state.filter !== 'all' || state.judge >= 0) {
      var test = tests[state.filter];
      var hit = item.v.some(function (v) { return (state.judge < 0 || v.j === state.judge) && test(v); });
      if (!hit) return false;
    }
    return !state.query || haystack(item).indexOf(state.query) >= 0;
  }

  function side(letter) { return letter === 'tie' ? w.tie : letter ? letter.toUpperCase() : ''; }
  function chip(v) {
    var cls = flips[v.o] ? ' flip' : v.ok === true ? ' good' : v.ok === false ? ' bad' : '';
    var mark = flips[v.o] ? '⇄ ' : v.ok === true ? '✓ ' : v.ok === false ? '✕ ' : v.o === 'no_verdict' ? '∅ ' : '';
    var node = el('span', 'chip' + cls, mark + data.judges[v.j]);
    node.title = data.outcomes[v.o];
    return node;
  }
  function block(title, text, raw) {
    var box = el('div');
    add(box, title ? el('h4', '', title) : null);
    var body = el('pre', 'text' + (raw ? ' raw' : ''), text === undefined ? w.no_text : text);
    if (text === undefined) body.classList.add('dim');
    body.dir = 'auto';
    return add(box, body);
  }
  function response(item, letter) {
    var name = letter === 'a' ? item.ma : item.mb;
    var box = block('', letter === 'a' ? item.a : item.b);
    var head = el('h4');
    add(head, el('b', '', w.response + ' ' + letter.toUpperCase()));
    if (name) head.appendChild(document.createTextNode(' · ' + name));
    if (item.gold === letter) head.appendChild(document.createTextNode(' · ✓ ' + w.gold));
    box.insertBefore(head, box.firstChild);
    return box;
  }
  function order(said, first) {
    var box = el('div');
    var head = el('h4', '', fill(w.shown_first, first) + ': ');
    add(head, el('b', '', said ? data.readings[said.s] : w.no_text));
    add(box, head);
    if (!said) return box;
    if (said.t !== undefined) add(box, block('', said.t, true));
    if (said.w !== undefined) add(box, el('p', 'note', said.w));
    if (said.h !== undefined) add(box, block(w.reasoning, said.h, true));
    return box;
  }
  function details(item) {
    var box = el('div', 'body');
    var facts = [item.c && w.category + ' ' + item.c, item.l && w.language + ' ' + item.l, item.g && w.group + ' ' + item.g,
      item.gold && w.gold + ' ' + side(item.gold)].filter(Boolean).join(' · ');
    if (facts) add(box, el('p', 'note', facts));
    if (item.why) add(box, el('p', '', item.why));
    if (item.p === undefined && item.a === undefined && item.b === undefined) {
      add(box, el('p', 'note', w.prompt + ', ' + w.response + ' A, B: ' + w.no_text));
    } else {
      add(box, block(w.prompt, item.p));
      add(box, add(el('div', 'pair'), response(item, 'a'), response(item, 'b')));
    }
    var list = el('div', 'verdicts');
    item.v.forEach(function (v) {
      var head = el('h5', '', data.judges[v.j] + (v.r ? ' #' + (v.r + 1) : ''));
      var word = el('span', 'chip' + (flips[v.o] ? ' flip' : ''), data.outcomes[v.o]);
      var agree = v.ok === undefined ? null : el('span', 'chip ' + (v.ok ? 'good' : 'bad'), v.ok ? '✓ ' + w.agrees : '✕ ' + w.disagrees);
      add(list, add(head, word, agree));
      if (v.ab || v.ba) add(list, add(el('div', 'pair'), order(v.ab, 'A'), order(v.ba, 'B')));
    });
    return add(box, list);
  }
  function row(item, index) {
    var box = el('div', 'item' + (index === state.at ? ' on' : ''));
    var button = el('button');
    button.type = 'button';
    button.setAttribute('aria-expanded', state.open.has(item.id) ? 'true' : 'false');
    var id = el('span', 'id', item.id);
    var facts = [item.c, item.gold && w.gold + ' ' + side(item.gold)].filter(Boolean).join(' · ');
    if (facts) add(id, el('small', '', facts));
    var chips = el('span', 'chips');
    item.v.forEach(function (v) { add(chips, chip(v)); });
    var line = item.p === undefined ? null : el('span', 'line', item.p.slice(0, 300));
    if (line) line.dir = 'auto';
    add(button, id, chips, line);
    button.addEventListener('click', function () {
      state.at = index;
      if (!state.open.delete(item.id)) state.open.add(item.id);
      draw();
    });
    add(box, button);
    if (state.open.has(item.id)) add(box, details(item));
    return box;
  }

  var tools = el('div', 'tools'), list = el('div'), pager = el('div', 'pager');
  var previous = el('button', '', '← ' + w.previous), next = el('button', '', w.next + ' →'), where = el('span', 'dim');
  add(pager, previous, where, next);
  where.setAttribute('aria-live', 'polite');

  function draw() {
    var last = Math.max(0, Math.ceil(found.length / PAGE) - 1);
    state.page = Math.min(state.page, last);
    var start = state.page * PAGE, shown = found.slice(start, start + PAGE);
    state.at = Math.max(0, Math.min(state.at, shown.length - 1));
    // The rows are made anew; whoever was in the list stays in it.
    var inside = list.contains(document.activeElement);
    list.textContent = '';
    shown.forEach(function (item, index) { add(list, row(item, index)); });
    if (!shown.length) add(list, el('p', 'note', w.no_match));
    if (inside && shown.length) list.children[state.at].firstChild.focus({ preventScroll: true });
    where.textContent = shown.length ? (start + 1) + '–' + (start + shown.length) + ' ' + w.of + ' ' + found.length : '0';
    previous.disabled = state.page === 0;
    next.disabled = state.page === last;
  }
  function search() { found = data.items.filter(matches); state.page = 0; state.at = 0; draw(); }
  function turn(by) { state.page = Math.max(0, state.page + by); state.at = 0; draw(); }
  function select(options, change, label) {
    var node = el('select');
    node.setAttribute('aria-label', label);
    options.forEach(function (option) { var o = el('option', '', option[1]); o.value = option[0]; add(node, o); });
    node.addEventListener('change', function () { change(node.value); search(); });
    return node;
  }

  var categories = Array.from(new Set(data.items.map(function (item) { return item.c; }).filter(Boolean))).sort();
  var box = el('input');
  box.type = 'search';
  box.placeholder = w.search;
  box.setAttribute('aria-label', w.search);
  var timer;
  box.addEventListener('input', function () {
    clearTimeout(timer);
    timer = setTimeout(function () { state.query = box.value.toLowerCase(); search(); }, 120);
  });
  add(tools, select([['all', w.filter_all], ['flips', w.filter_flips], ['disagree', w.filter_disagree], ['none', w.filter_none]],
    function (value) { state.filter = value; }, w.show));
  if (data.judges.length > 1) add(tools, select([[-1, w.any_judge]].concat(data.judges.map(function (name, i) { return [i, name]; })),
    function (value) { state.judge = Number(value); }, w.judge));
  if (categories.length > 1) add(tools, select([['', w.any_category]].concat(categories.map(function (name) { return [name, name]; })),
    function (value) { state.category = value; }, w.category));
  add(tools, box);
  previous.addEventListener('click', function () { turn(-1); });
  next.addEventListener('click', function () { turn(1); });

  document.addEventListener('keydown', function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    var typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === 'Escape' && typing) { event.target.blur(); return; }
    if (typing) return;
    if (event.key === '/') { event.preventDefault(); box.focus(); return; }
    var step = { j: 1, k: -1 }[event.key];
    var inside = host.contains(document.activeElement);
    if (inside && event.key === 'ArrowDown') step = 1;
    if (inside && event.key === 'ArrowUp') step = -1;
    if (step) {
      event.preventDefault();
      state.at += step;
      draw();
      var on = list.children[state.at];
      if (on) { on.firstChild.focus({ preventScroll: true }); on.scrollIntoView({ block: 'nearest' }); }
    }
    if (event.key === 'n' && !next.disabled) turn(1);
    if (event.key === 'p' && !previous.disabled) turn(-1);
  });

  add(host, tools, el('p', 'keys', w.keys), list, pager);
  draw();
})();
