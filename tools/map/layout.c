/* SPDX-License-Identifier: BSD-3-Clause */
#include "config/mtree_config.h"

#include "tools/map/layout.h"

#include "base/log.h"
#include "tools/map/scene.h"

#ifdef HAVE_GRAPHVIZ
#include <graphviz/gvc.h>
#endif
#include <math.h>

#define SPOKE_INCHES 1.5 /* room for the label of a link */
#define APART_INCHES 1.0 /* between the ends of two spokes */
#define MOST_STEP    (M_PI / 3)

typedef struct {
    int parent;      /* of a vertex without a place: the neighbour that has one, or -1 */
    int seat;        /* which of that one's children, from 0 */
    int children;    /* of a vertex with a place */
    map_point_t way; /* away from its neighbours that have places */
} spoke_t;

static void add_way(spoke_t *spoke, map_point_t from, map_point_t to)
{
    const double length = fmax(hypot(to.x - from.x, to.y - from.y), 1e-9);

    spoke->way.x += (to.x - from.x) / length;
    spoke->way.y += (to.y - from.y) / length;
}

static void adopt(spoke_t *spokes, int parent, int child)
{
    if (spokes[child].parent < 0) {
        spokes[child].parent = parent;
        spokes[child].seat = spokes[parent].children++;
    }
}

/* Who hangs on whom, and where there is room. */
static void find_spokes(const map_scene_t *scene, const bool *placed, spoke_t *spokes)
{
    const mtree_topology_t *topology = scene->topology;

    for (int v = 0; v < topology->num_vertices; v++) {
        spokes[v] = (spoke_t){.parent = -1};
    }
    for (int l = 0; l < topology->num_links; l++) {
        const int u = topology->links[l].u, v = topology->links[l].v;

        if (placed[u] && placed[v]) {
            add_way(&spokes[u], scene->places[v], scene->places[u]);
            add_way(&spokes[v], scene->places[u], scene->places[v]);
        } else if (placed[u]) {
            adopt(spokes, u, v);
        } else if (placed[v]) {
            adopt(spokes, v, u);
        }
    }
}

static map_point_t end_of_spoke(const map_scene_t *scene, const spoke_t *spokes, int v)
{
    const spoke_t *parent = &spokes[spokes[v].parent];
    const map_point_t from = scene->places[spokes[v].parent];
    const double step = fmin(MOST_STEP, 2 * M_PI / parent->children);
    const double length = fmax(SPOKE_INCHES, APART_INCHES / step);
    const bool free = hypot(parent->way.x, parent->way.y) < 1e-6;
    const double angle = (free ? M_PI / 2 : atan2(parent->way.y, parent->way.x)) +
                         step * (spokes[v].seat - (parent->children - 1) / 2.0);

    return (map_point_t){from.x + length * cos(angle), from.y + length * sin(angle)};
}

/*
 * Give all vertices a place, inches, of which @a placed [num_vertices] says that some
 * have one; then all that are joined to these have.  A vertex goes a spoke's length from
 * its neighbour, on the side where that one has no other.  MTREE_ERR_NO_MEMORY, logged.
 */
static mtree_status_t place_on_spokes(map_scene_t *scene, bool *placed)
{
    const int count = scene->topology->num_vertices;
    spoke_t *spokes;
    int found = count;

    MTREE_ARENA_ARRAY(&scene->arena, spokes, (size_t)count);
    if (spokes == NULL) {
        return mtree_no_memory("the map of %s", scene->topology->name);
    }
    while (found > 0) {
        found = 0;
        find_spokes(scene, placed, spokes);
        for (int v = 0; v < count; v++) {
            if (spokes[v].parent >= 0) {
                scene->places[v] = end_of_spoke(scene, spokes, v);
                placed[v] = true;
                found++;
            }
        }
    }
    return MTREE_OK;
}

#define UNITS_PER_INCH 72.0
#define MOST_BY_NEATO  200 /* vertices */

/* Inches of a link by force. */
#define FORCED_LENGTH "2.2"

/* By positions. */
#define LINK_INCHES     2.4 /* of a typical link on paper: room for its label */
#define LEAST_POSITIONS 2   /* fewer say nothing of the others */
#define LEAST_INCHES    5.0 /* of the map's longer side */
#define MOST_INCHES     40.0
#define MIDDLE_STEPS    50
#define FAR_OFF         3.0 /* from the middle, as a multiple of what is typical */

/* Which vertices have a position in the file; returns how many. */
static int mark_positions(const mtree_topology_t *topology, bool *placed)
{
    int count = 0;

    for (int v = 0; v < topology->num_vertices; v++) {
        placed[v] = topology->vertices[v].has_position;
        count += placed[v];
    }
    return count;
}

#ifdef HAVE_GRAPHVIZ

/* A map of no directions of its own lies on its longer side, as pages are wide. */
static void lay_flat(map_point_t *places, int count)
{
    map_box_t box = map_bounds(places, count);

    for (int v = 0; v < count && box.high - box.low > box.right - box.left; v++) {
        places[v] = (map_point_t){places[v].y, places[v].x};
    }
}

static Agnode_t *node_of(Agraph_t *graph, int vertex, int create)
{
    char name[32];

    snprintf(name, sizeof(name), "%d", vertex);
    return agnode(graph, name, create);
}

/* The network for Graphviz, without looks. */
static Agraph_t *graph_of(const mtree_topology_t *topology)
{
    Agraph_t *graph = agopen("map", Agundirected, NULL);

    agattr(graph, AGEDGE, "len", FORCED_LENGTH);
    for (int v = 0; v < topology->num_vertices; v++) {
        (void)node_of(graph, v, 1);
    }
    for (int l = 0; l < topology->num_links; l++) {
        (void)agedge(graph, node_of(graph, topology->links[l].u, 0),
                     node_of(graph, topology->links[l].v, 0), NULL, 1);
    }
    return graph;
}

static mtree_status_t find_by_force(map_scene_t *scene)
{
    const int count = scene->topology->num_vertices;
    GVC_t *gvc = gvContext();
    Agraph_t *graph;
    bool done;

    agseterr(AGERR);
    graph = graph_of(scene->topology);
    done = gvLayout(gvc, graph, count <= MOST_BY_NEATO ? "neato" : "sfdp") == 0;
    for (int v = 0; done && v < count; v++) {
        const pointf coord = ND_coord(node_of(graph, v, 0));

        scene->places[v] =
            (map_point_t){coord.x / UNITS_PER_INCH, coord.y / POINTS_PER_INCH};
    }
    if (done) {
        lay_flat(scene->places, count);
        gvFreeLayout(gvc, graph);
    } else {
        mtree_error("Graphviz could not lay the map of %s out; leave the picture out",
                    scene->topology->name);
    }
    agclose(graph);
    gvFreeContext(gvc);
    return done ? MTREE_OK : MTREE_ERR_IO;
}

#else

/* Without Graphviz, a circle on which neighbours in the file are LINK_INCHES apart. */
static mtree_status_t find_by_force(map_scene_t *scene)
{
    const int count = scene->topology->num_vertices;

    for (int v = 0; v < count; v++) {
        const double angle = 2 * M_PI * v / count,
                     radius = LINK_INCHES * count / 2 / M_PI;

        scene->places[v] = (map_point_t){radius * cos(angle), radius * sin(angle)};
    }
    return MTREE_OK;
}

#endif

/* How many degrees, or units of another plane, a degree of longitude is: less than one
 * away from the equator; a plane that is no map is small. */
static double squeeze_of(const map_box_t *box)
{
    return cos(fmin(fabs((box->low + box->high) / 2), 75) * M_PI / 180);
}

/* A mean of lengths, exp of the mean logarithm, which extreme ones move little. */
typedef struct {
    double sum;
    int count;
} typical_t;

static void typical_add(typical_t *typical, double length)
{
    if (length > 0) {
        typical->sum += log(length);
        ++typical->count;
    }
}

static double typical_length(const typical_t *typical)
{
    return (typical->count > 0) ? exp(typical->sum / typical->count) : 1;
}

/*
 * When a vertex is FAR_OFF times as far from the middle as is typical, all beyond the
 * typical distance move towards the middle, the farthest most: else one host overseas
 * leaves no room for the others.
 */
static void draw_in(map_point_t *places, int count)
{
    typical_t typical = {0, 0};
    double farthest = 0, limit;

    for (int i = 0; i < count; i++) {
        double far = hypot(places[i].x, places[i].y);

        typical_add(&typical, far);
        farthest = fmax(farthest, far);
    }
    limit = typical_length(&typical);
    for (int i = 0; farthest > FAR_OFF * limit && i < count; i++) {
        double far = hypot(places[i].x, places[i].y) / limit;

        if (far > 1) {
            places[i].x *= (1 + log(far)) / far;
            places[i].y *= (1 + log(far)) / far;
        }
    }
}

/* The point with the least sum of distances to the places, which few far ones hardly
 * move: Weiszfeld's method. */
static map_point_t find_middle(const map_point_t *places, int count)
{
    map_point_t middle = {0, 0};

    for (int step = 0; step < MIDDLE_STEPS; ++step) {
        double x = 0, y = 0, sum = 0;

        for (int i = 0; i < count; ++i) {
            double far = hypot(places[i].x - middle.x, places[i].y - middle.y);
            /* At first all count alike, which gives the mean. */
            double weight = (step == 0) ? 1 : 1 / fmax(far, 1e-9);

            x += weight * places[i].x;
            y += weight * places[i].y;
            sum += weight;
        }
        middle = (map_point_t){x / sum, y / sum};
    }
    return middle;
}

/* The points around the middle of all. */
static void centre(map_point_t *points, int count)
{
    const map_box_t box = map_bounds(points, count);
    const double squeeze = squeeze_of(&box);
    map_point_t middle;

    for (int i = 0; i < count; i++) {
        points[i].x *= squeeze;
    }
    middle = find_middle(points, count);
    for (int i = 0; i < count; i++) {
        points[i].x -= middle.x;
        points[i].y -= middle.y;
    }
}

/* How many inches a unit of the places is: a typical link is long enough for its label.
 */
static double find_scale(const map_scene_t *scene, const bool *placed, double side)
{
    const mtree_topology_t *topology = scene->topology;
    typical_t typical = {0, 0};

    for (int i = 0; i < topology->num_links; i++) {
        const int u = topology->links[i].u, v = topology->links[i].v;

        if (placed[u] && placed[v]) {
            typical_add(&typical, hypot(scene->places[u].x - scene->places[v].x,
                                        scene->places[u].y - scene->places[v].y));
        }
    }
    side = (side > 0) ? side : 1;
    return fmin(fmax(LINK_INCHES / typical_length(&typical), LEAST_INCHES / side),
                MOST_INCHES / side);
}

/*
 * From the file's plane to inches on paper: directions are kept, and what is far from
 * everything else comes nearer.  @a points has room for the @a count vertices that are
 * placed.
 */
static void find_by_positions(map_scene_t *scene, const bool *placed, map_point_t *points,
                              int count)
{
    const mtree_topology_t *topology = scene->topology;
    map_box_t box;
    double scale;

    for (int v = 0, i = 0; v < topology->num_vertices; v++) {
        if (placed[v]) {
            points[i++] = (map_point_t){topology->vertices[v].x, topology->vertices[v].y};
        }
    }
    centre(points, count);
    draw_in(points, count);
    box = map_bounds(points, count);
    for (int v = 0, i = 0; v < topology->num_vertices; v++) {
        if (placed[v]) {
            scene->places[v] =
                (map_point_t){points[i].x - box.left, points[i].y - box.low};
            i++;
        }
    }
    scale = find_scale(scene, placed, fmax(box.right - box.left, box.high - box.low));
    for (int v = 0; v < topology->num_vertices; v++) {
        scene->places[v].x *= scale;
        scene->places[v].y *= scale;
    }
}

mtree_status_t map_layout_find(map_scene_t *scene)
{
    const int all = scene->topology->num_vertices;
    bool *placed;
    map_point_t *points;
    int count;

    MTREE_ARENA_ARRAY(&scene->arena, placed, (size_t)all);
    MTREE_ARENA_ARRAY(&scene->arena, points, (size_t)all);
    if (placed == NULL || points == NULL) {
        return mtree_no_memory("the map of %s", scene->topology->name);
    }
    count = mark_positions(scene->topology, placed);
    if (count < all && count < LEAST_POSITIONS) {
        return find_by_force(scene);
    }
    find_by_positions(scene, placed, points, count);
    return place_on_spokes(scene, placed);
}
