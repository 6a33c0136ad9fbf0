/* SPDX-License-Identifier: BSD-3-Clause */
/* The script of a report's page.  A checkbox names the group that it shows; links fade while any is
 * shown. */
document.querySelectorAll('input[data-tree]').forEach(function (box) {
    box.addEventListener('change', function () {
        var svg = box.closest('section').querySelector('svg');
        svg.querySelector('#' + box.dataset.tree).classList.toggle('on', box.checked);
        svg.classList.toggle('fading', svg.querySelector('.tree.on') !== null);
    });
});
document.querySelectorAll('input[data-all]').forEach(function (box) {
    box.addEventListener('change', function () {
        box.closest('.picker').querySelectorAll('input[data-tree]').forEach(function (one) {
            if (one.checked !== box.checked) {
                one.click();
            }
        });
    });
});
